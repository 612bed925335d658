import { createHash } from 'node:crypto';
import { parseJson } from '@assay/json/parse';
import { type Rendering, renderTemplate } from '@assay/prompt-template/render';
import { guardItem } from '@assay/runtime/concurrency/guard-item';
import { workerTask } from '@assay/runtime/concurrency/worker-task';
import type { Prompt } from './domain/judging/rendering.ts';

/** Renders a prompt on another thread, which may be ended at any moment. */
export default workerTask((prompt: Prompt): Rendering => {
  const guarded = guardItem(() => renderPrompt(prompt));
  return 'result' in guarded
    ? guarded.result
    : { ok: false, message: `The prompt was not rendered: ${guarded.fault}` };
});

function renderPrompt({ template, guidelines, ...record }: Prompt): Rendering {
  const seal = createHash('sha256').update(guidelines);
  for (const text of Object.values(record)) seal.update(`${text.byteLength}:`).update(text);
  return renderTemplate({
    source: template,
    values: readValues({ guidelines, ...record }),
    seal: seal.digest('hex'),
  });
}

/**
 * Each part is built when the template names it: one of 15 MB that it does not name costs nothing.
 */
function readValues({ guidelines, ...record }: Omit<Prompt, 'template'>) {
  const built = new Map<keyof typeof record, unknown>();
  const read = (part: keyof typeof record): unknown => {
    if (!built.has(part)) built.set(part, parseJson(Buffer.from(record[part]!).toString()));
    return built.get(part);
  };
  const shared = {
    guidelines,
    get inputs() {
      return read('inputs');
    },
    get expected() {
      return read('expected');
    },
  };
  // Defined, not spread: a spread would read all parts.
  const own = Object.getOwnPropertyDescriptors(
    record.secondOutputs
      ? {
          get first() {
            return { outputs: read('outputs') };
          },
          get second() {
            return { outputs: read('secondOutputs') };
          },
        }
      : {
          get outputs() {
            return read('outputs');
          },
        },
  );
  return Object.defineProperties(shared, own);
}
