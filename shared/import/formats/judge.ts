import type { MetricBody } from '../entity.ts';

/** Characters that guidelines may have. */
const guidelinesMax = 20_000;

/** A judge of criteria that another tool had: it sees the whole record. */
export function judgeOf({
  name,
  guidelines,
  outputType,
  model,
}: {
  name: string;
  guidelines: string;
  outputType: 'boolean' | 'float';
  model?: string;
}): MetricBody {
  return {
    name,
    evalType: 'ai',
    outputType,
    guidelines: guidelines.slice(0, guidelinesMax).toWellFormed(),
    promptTemplate: defaultPrompt,
    ...(model !== undefined && /^[\w.:@/-]+$/.test(model) ? { evalModelName: model } : {}),
  };
}

const defaultPrompt = `{{ guidelines }}

The input:
{{ inputs }}

The expected answer, if there is one:
{{ expected }}

The answer to judge:
{{ outputs }}
`;
