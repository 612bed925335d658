import {
  type Allowance,
  allowanceForms,
  isAllowance,
  isShare,
  type Share,
  shareForms,
} from '@assay/comparison/gate/limits';
import { z } from 'zod';

const path = z.string().min(1, 'must name a file');
const names = z.array(z.string().min(1));

const testset = z.strictObject({
  file: path,
  /** A JSON Schema; where it is left out, the testset keeps the one that it has. */
  schema: path.optional(),
  description: z.string().optional(),
  inputs: names.optional(),
  expected: names.optional(),
  /** The field that has the tags of testcases; null takes the one of the server away. */
  tagsField: z.string().min(1).nullable().optional(),
  /** The field that identifies a testcase. */
  key: z.string().min(1),
  /** `sync` also deletes the testcases that the file does not have. */
  mode: z.enum(['upsert', 'sync']).default('upsert'),
});

/** A text in a file of its own, or here. */
const textOrFile = z.union([path, z.strictObject({ text: z.string() })], {
  error: 'must be the name of a file, or { text: … }',
});

const named = {
  description: z.string().optional(),
  guidelines: textOrFile.optional(),
  /** The ends of the scale; null where there is none. */
  min: z.number().nullable().optional(),
  max: z.number().nullable().optional(),
  lowerIsBetter: z.boolean().optional(),
  passingThreshold: z.number().optional(),
};
const output = z.enum(['boolean', 'int', 'float']);

const metric = z.discriminatedUnion(
  'type',
  [
    z.strictObject({
      ...named,
      type: z.literal('ai'),
      output,
      prompt: textOrFile,
      model: z.string().optional(),
      temperature: z.number().nullable().optional(),
      votes: z.int().optional(),
      seed: z.int().nullable().optional(),
    }),
    z.strictObject({
      ...named,
      type: z.literal('human'),
      output,
      annotators: z.int().optional(),
    }),
    z.strictObject({
      ...named,
      type: z.literal('heuristic'),
      output,
      builtin: z
        .strictObject({
          name: z.string(),
          options: z.record(z.string(), z.unknown()).optional(),
        })
        .optional(),
      /** A file of TypeScript, JavaScript or Python that defines `evaluate`. */
      code: path
        .regex(/\.(ts|mts|js|mjs|py)$/, 'must be a file that ends in .ts, .js, .mjs or .py')
        .optional(),
    }),
  ],
  { error: 'must be ai, human or heuristic' },
);

const command = z.union([z.string().min(1), z.array(z.string()).min(1)], {
  error: 'must be a command, or a list of its words',
});

const system = z.union(
  [
    z.strictObject({ module: path, export: z.string().default('default') }),
    z.strictObject({ command }),
    z.strictObject({
      http: z.strictObject({
        url: z.url({
          protocol: /^https?$/,
          error: 'must be an address that begins with http:// or https://',
        }),
        headers: z.record(z.string(), z.string()).default({}),
      }),
    }),
  ],
  { error: 'must have one of module, command and http, with no other member' },
);

const count = (max: number) => z.int().min(1).max(max).optional();

/** 0.9, or "90%". */
const share = z.custom<Share>(isShare, `must be ${shareForms}`).optional();
/** 3, or "5%". */
const allowance = z.custom<Allowance>(isAllowance, `must be ${allowanceForms}`).optional();

const evaluation = z.strictObject({
  testset: z.string(),
  metrics: names.optional(),
  system,
  config: z.record(z.string(), z.unknown()).optional(),
  systemName: z.string().optional(),
  versionName: z.string().optional(),
  name: z.string().optional(),
  labels: z.record(z.string(), z.string()).optional(),
  trials: count(100),
  limit: count(Number.MAX_SAFE_INTEGER),
  sample: count(1_000_000),
  seed: z.int().min(0).optional(),
  /** JSON Pointers into the data of testcases, with values. */
  where: z.record(z.string(), z.unknown()).optional(),
  keys: z.array(z.string().min(1)).min(1).optional(),
  concurrency: count(1000),
  timeoutMs: count(2_147_483_647),
  retries: z.int().min(0).max(100).optional(),
  rateLimit: count(1_000_000),
  budgetUsd: z.number().min(0).optional(),
  setBaseline: z.boolean().optional(),
  promote: z.boolean().optional(),
  gate: z
    .strictObject({
      baseline: z.string().min(1).optional(),
      maxRegression: z.number().min(0).optional(),
      minPassRate: share,
      minPasses: count(100),
      maxErrors: allowance,
      allowMissing: allowance,
    })
    .refine(({ minPasses, minPassRate }) => minPasses === undefined || minPassRate !== undefined, {
      path: ['minPasses'],
      message: 'must stand beside minPassRate, for which it says what passes',
    })
    .optional(),
});

/** `assay.yaml`: testsets, metrics and evaluations of a project, as files beside its code. */
export const projectDefinition = z.strictObject({
  project: z.string().min(1),
  testsets: z.record(z.string(), testset).default({}),
  metrics: z.record(z.string(), metric).default({}),
  evaluations: z.record(z.string(), evaluation).default({}),
});

export type ProjectDefinition = z.output<typeof projectDefinition>;
export type TestsetSource = ProjectDefinition['testsets'][string];
export type MetricSource = ProjectDefinition['metrics'][string];
export type EvaluationSource = ProjectDefinition['evaluations'][string];
