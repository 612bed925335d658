import { javascript, javascriptLanguage as parsed } from '@codemirror/lang-javascript';
import type { Extension } from '@codemirror/state';
import type { MembersAt } from '../editor-types.ts';
import { memberCompletion } from './completion.ts';

export const javascriptLanguage = (membersAt: MembersAt): Extension => [
  javascript(),
  parsed.data.of({ autocomplete: memberCompletion(membersAt) }),
];

export function typescriptLanguage(membersAt: MembersAt): Extension {
  const support = javascript({ typescript: true });
  return [support, support.language.data.of({ autocomplete: memberCompletion(membersAt) })];
}
