import { posix } from 'node:path';
import { paste } from '../conversation.ts';
import { type Block, fileOf, isAdded, placeOf } from './blocks.ts';

/** What a reader does with one block: pastes its commands, or saves it as a file. */
export interface Step {
  block: Block;
  commands: string;
  /** The block after it, which shows what the commands print. */
  shown: Block | undefined;
}

/** What a step came to. */
export interface StepEnd {
  step: Step;
  printed: string;
  /** The first command that failed. */
  failed: string;
}

const endOfFile = 'END-OF-THE-FILE';

export function saving(file: string, text: string, operator = '>'): string {
  const folder = posix.dirname(file);
  const make = folder === '.' ? '' : `mkdir -p '${folder}' && `;
  return `${make}cat ${operator} '${file}' <<'${endOfFile}'\n${text}${endOfFile}\n`;
}

/** The steps of a page: each block of commands or of a file, with the output that is shown. */
export function stepsOf(blocks: Block[], isLeftOut: (block: Block) => boolean): Step[] {
  return blocks.flatMap((block, index) => {
    const file = fileOf(block);
    if (isLeftOut(block) || (block.kind !== 'bash' && file === undefined)) return [];
    const next = blocks[index + 1];
    return [
      {
        block,
        commands:
          file === undefined ? block.text : saving(file, block.text, isAdded(block) ? '>>' : '>'),
        shown: file === undefined && next && isOutput(next) ? next : undefined,
      },
    ];
  });
}

/** A `text` block right after commands is what they print. */
export const isOutput = ({ kind, lead }: Block): boolean => kind === 'text' && lead === '';

const end = '=== failed: ';

/**
 * Pastes the steps into one bash, as one reader would. A command that fails is told, but for those
 * of a block that looks at the exit code itself, by `$?`.
 */
export async function follow(
  steps: Step[],
  environment: Record<string, string>,
  folder: string,
): Promise<StepEnd[]> {
  const watched = (commands: string) =>
    commands.includes('$?') ? 'trap - ERR' : `trap 'failed=\${failed:-$BASH_COMMAND}' ERR`;
  const printed = await paste(
    steps.map(({ commands }, index) => ({
      commands: [
        ...(index === 0 ? ['exec 2>&1', 'set -E -o pipefail'] : []),
        'failed=',
        watched(commands),
        commands.trimEnd(),
        `printf '${end}%s\\n' "\${failed//$'\\n'/ }"`,
        '',
      ].join('\n'),
    })),
    environment,
    folder,
  );
  return steps.map((step, index) => {
    const text = printed[index];
    const at = text?.lastIndexOf(end) ?? -1;
    if (text === undefined || at < 0)
      return { step, printed: text ?? '', failed: `the shell ended before ${placeOf(step.block)}` };
    return { step, printed: text.slice(0, at), failed: text.slice(at + end.length).trim() };
  });
}

/**
 * Whether a text is as a page shows it: `…` stands for the rest of a word or line, and alone in a
 * line for any lines.
 */
export function isAsShown(printed: string, shown: string): boolean {
  const pattern = shown
    .trimEnd()
    .split('\n')
    .map((line) =>
      line.trim() === '…'
        ? '(?:.*\\n)*?'
        : `${line
            .trimEnd()
            .replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&')
            .replaceAll('…', '.*')} *\\n`,
    )
    .join('');
  return new RegExp(`^${pattern}$`).test(`${printed.trimEnd()}\n`);
}
