import type { Block } from './blocks.ts';

interface LeftOut {
  page: string;
  /** The block begins with it. */
  begins: string;
  why: string;
}

/** The blocks that are not run with the pages, each for a reason. Keep this list short. */
export const leftOut: LeftOut[] = [
  {
    page: 'README.md',
    begins: 'npm run demo\n',
    why: 'It stays up. .ci/run runs it, with --exit.',
  },
  {
    page: 'docs/first-judge.md',
    begins: 'COMPATIBLE_BASE_URL=http://127.0.0.1:11434/v1',
    why: 'It stays up, and needs a model on this machine.',
  },
  {
    page: 'docs/from-scorecard.md',
    begins: 'pip install scorecard-ai',
    why: 'It needs the package registry of Python.',
  },
  {
    page: 'docs/from-scorecard.md',
    begins: 'import os\nfrom openai import OpenAI',
    why: 'It needs the package registry of Python. test/system/instrumentations.test.ts runs it with a mock.',
  },
  {
    page: 'docs/judge-templates.md',
    begins: 'OPENAI_API_KEY=… npm run judges:check',
    why: 'It asks a paid model. test/system/judges-check.test.ts runs it with a mock.',
  },
  {
    page: 'docs/mcp.md',
    begins: 'claude mcp add',
    why: 'It needs Claude Code.',
  },
  {
    page: 'docs/operations.md',
    begins: 'npm run service -- catalog',
    why: 'It stays up. test/system/processes.ts starts every service so.',
  },
  {
    page: 'docs/operations.md',
    begins: 'npm run admin -- forget $ORGANIZATION ada@example.com',
    why: 'It would delete what the rest of the page needs. local/test/admin.test.ts and test/system/deleted-organizations.test.ts run both commands.',
  },
  {
    page: 'docs/operations.md',
    begins: 'MONGODB_URI="$OPERATOR_MONGODB_URI"',
    why: 'It needs a MongoDB and a NATS of an operator. local/test/keys.test.ts runs the command.',
  },
  { page: 'docs/operations.md', begins: 'server {\n  listen 443', why: 'It needs nginx.' },
  { page: 'docs/operations.md', begins: 'assay.example.com {', why: 'It needs Caddy.' },
  {
    page: 'docs/operations.md',
    begins: 'mkdir -p .assay && docker compose run',
    why: 'It needs a container engine. test/containers runs it where there is one.',
  },
  {
    page: 'docs/operations.md',
    begins: 'docker compose exec mongodb',
    why: 'It needs a container engine, and somebody who types a password.',
  },
  {
    page: 'docs/operations.md',
    begins: 'npm run admin -- dead-letters\nnpm run admin -- dead-letters 12',
    why: 'It needs a dead letter. local/test/admin.test.ts runs it with one.',
  },
  {
    page: 'docs/operations.md',
    begins: 'sudo install -d -o 1000 -m 700 backups',
    why: 'It needs a container engine. test/containers runs it where there is one.',
  },
  {
    page: 'docs/operations.md',
    begins: 'npm run backup -- ../assay-backup',
    why: 'test/system/backup-commands.test.ts runs it with a laptop of its own.',
  },
  {
    page: 'docs/testing.md',
    begins: 'npm test   ',
    why: 'It runs all tests.',
  },
  {
    page: 'docs/testing.md',
    begins: 'docker ps --quiet',
    why: 'It removes containers, also those of others.',
  },
  {
    page: 'docs/testing.md',
    begins: 'npm run test:faults   ',
    why: 'It runs for ten minutes.',
  },
  {
    page: 'docs/testing.md',
    begins: 'ASSAY_DATA_DIR=/tmp/assay-schemathesis',
    why: 'It stays up.',
  },
  {
    page: 'docs/testing.md',
    begins: 'python3 -m venv /tmp/schemathesis',
    why: 'It needs the package registry of Python.',
  },
  {
    page: 'docs/testing.md',
    begins: 'const world = await startWorld',
    why: 'A fragment: every test of a service begins so.',
  },
];

export const isLeftOut = (block: Block): boolean => leftOut.some((one) => names(one, block));

export const names = ({ page, begins }: LeftOut, block: Block): boolean =>
  block.page === page && block.text.startsWith(begins);
