import type { Completion, CompletionSource } from '@codemirror/autocomplete';
import type { MembersAt } from '../editor-types.ts';

export const completionsOf = (names: string[], type: 'variable' | 'property'): Completion[] =>
  names.map((label) => ({ label, type }));

/** A path such as `outputs.steps` or `outputs["steps"]`, and the name that is being typed in it. */
const memberPath = /\b[A-Za-z_]\w*(?:\.\w+|\[(["'])\w+\1\])*(?:\.|\[["'])\w*$/;

/** Completes the fields of the record where code names them. */
export const memberCompletion =
  (membersAt: MembersAt): CompletionSource =>
  (context) => {
    const typed = context.matchBefore(memberPath);
    if (!typed) return null;
    const path = typed.text.match(/\w+/g)!;
    const isAfterDot = /[."']$/.test(typed.text);
    const [start] = isAfterDot ? [''] : path.splice(-1);
    const names = membersAt(path);
    if (names.length === 0) return null;
    return {
      from: context.pos - start!.length,
      options: completionsOf(names, 'property'),
      validFor: /^\w*$/,
    };
  };
