import type { Entity } from './entity.ts';
import { ImportFailure } from './failure.ts';
import { bird } from './formats/bird.ts';
import { braintrust } from './formats/braintrust.ts';
import { deepeval } from './formats/deepeval.ts';
import { evalsRepository } from './formats/evals-repository.ts';
import { helm } from './formats/helm.ts';
import { inspect } from './formats/inspect.ts';
import { langfuse } from './formats/langfuse.ts';
import { langsmith } from './formats/langsmith.ts';
import { lmEval } from './formats/lm-eval.ts';
import { openaiEvals } from './formats/openai-evals.ts';
import { parquet } from './formats/parquet.ts';
import { phoenix } from './formats/phoenix.ts';
import { promptfoo } from './formats/promptfoo.ts';
import { csv, json, jsonl } from './formats/table.ts';
import type { Format, ImportOptions } from './item.ts';
import { whyNoText } from './reading/text.ts';
import { readHead, type Source } from './source.ts';

/** All formats; of equally sure ones the first counts. */
export const formats: readonly Format[] = [
  openaiEvals,
  promptfoo,
  langfuse,
  langsmith,
  inspect,
  lmEval,
  phoenix,
  braintrust,
  parquet,
  evalsRepository,
  helm,
  bird,
  deepeval,
  csv,
  json,
  jsonl,
];

export interface Detection {
  format: string;
  /** From 0 to 1. */
  confidence: number;
}

/** The format that a file of these first bytes and this name most likely has, if there is one. */
export function detectFormat(head: Uint8Array, name: string): Detection | undefined {
  let best: Detection | undefined;
  for (const format of formats) {
    const confidence = format.detect(head, name);
    if (confidence > (best?.confidence ?? 0)) best = { format: format.name, confidence };
  }
  return best;
}

/** The format of a folder: that of the file which is surest. */
export async function detectSource({ files }: Source): Promise<Detection | undefined> {
  let best: Detection | undefined;
  for (const file of files) {
    const found = detectFormat(await readHead(file), file.name);
    if (found && found.confidence > (best?.confidence ?? 0)) best = found;
  }
  return best;
}

/** Why a source that is no format's cannot be read, where the first bytes of a file tell it. */
export async function whyNoFormat({ files }: Source): Promise<ImportFailure | undefined> {
  for (const file of files) {
    const sentence = whyNoText(await readHead(file));
    if (sentence) return new ImportFailure({ file: file.name }, sentence);
  }
  return undefined;
}

/**
 * Reads a source as entities. @throws ImportFailure for a name that is no format's, and for a
 * source that cannot be read, before the first entity.
 */
export function readImport(
  format: string,
  source: Source,
  options: ImportOptions = {},
): AsyncIterable<Entity> {
  const found = formats.find(({ name }) => name === format);
  if (!found)
    throw new ImportFailure(
      {},
      `${JSON.stringify(format)} is not a format: say one of ${formats.map(({ name }) => name).join(', ')}.`,
    );
  return found.read(source, options);
}
