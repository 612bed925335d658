import type { MetricVersion } from '@assay/contracts/metrics';
import type { JsonText } from '@assay/contracts/payload';
import type { Rendering } from '@assay/prompt-template/render';
import type { Outcome, TaskOptions } from '@assay/runtime/concurrency/workers';

/**
 * The time limit for one prompt, in ms. The most expensive template takes about a second on an idle
 * machine.
 */
export const promptDeadlineMs = 8000;

/** The message to the worker: the record's texts, which the worker parses. */
export interface Prompt {
  template: string;
  guidelines: string;
  inputs: Uint8Array<ArrayBuffer>;
  expected: Uint8Array<ArrayBuffer>;
  outputs: Uint8Array<ArrayBuffer>;
  /** The outputs of the second of two runs; `outputs` are then the first's. */
  secondOutputs?: Uint8Array<ArrayBuffer>;
}

/** A record for which a prompt is made, and whose it is. */
export interface RecordToRender {
  organizationId: string;
  metric: MetricVersion;
  inputs: JsonText;
  expected: JsonText;
  outputs: JsonText;
  /** For judges of pairs: the outputs of the second run. */
  secondOutputs?: JsonText | undefined;
  signal?: AbortSignal | undefined;
}

export type RenderedPrompt =
  | { ok: true; text: string; delimiter: string }
  | {
      ok: false;
      code: 'template_error' | 'timeout';
      message: string;
      line?: number;
      column?: number;
    };

/** @throws the signal's reason when it is aborted before the prompt's turn. */
export type Render = (record: RecordToRender) => Promise<RenderedPrompt>;

interface Dependencies {
  /** Renders on another thread, which is stopped at its deadline. */
  inWorker: (makePrompt: () => Prompt, options: TaskOptions<Prompt>) => Promise<Outcome<Rendering>>;
}

/**
 * Renders prompts off the event loop, one of an organization at a time: others' prompts come in
 * between.
 */
export const createRender =
  ({ inWorker }: Dependencies): Render =>
  async (record) => {
    const { organizationId, signal } = record;
    const outcome = await inWorker(() => promptOf(record), {
      organizationId,
      signal,
      handedOver: memoryOf,
    });
    if ('stopped' in outcome)
      return {
        ok: false,
        code: 'timeout',
        message: `The prompt was not rendered: that took too much ${outcome.stopped}.`,
      };
    const { result } = outcome;
    return result.ok ? result : { code: 'template_error', ...result };
  };

/** With copies of the record's parts: a slice of a reply would cross with all of the reply. */
function promptOf({
  metric,
  inputs,
  expected,
  outputs,
  secondOutputs = metric.subject === 'pair' ? outputs : undefined,
}: RecordToRender): Prompt {
  return {
    template: metric.judge!.promptTemplate,
    guidelines: metric.guidelines,
    inputs: new Uint8Array(inputs.bytes),
    expected: new Uint8Array(expected.bytes),
    outputs: new Uint8Array(outputs.bytes),
    ...(secondOutputs && { secondOutputs: new Uint8Array(secondOutputs.bytes) }),
  };
}

const memoryOf = ({ inputs, expected, outputs, secondOutputs }: Prompt): ArrayBuffer[] =>
  [inputs, expected, outputs, secondOutputs].flatMap((part) => (part ? [part.buffer] : []));
