import { pythonLanguage as parsed, python } from '@codemirror/lang-python';
import type { Extension } from '@codemirror/state';
import type { MembersAt } from '../editor-types.ts';
import { memberCompletion } from './completion.ts';

export const pythonLanguage = (membersAt: MembersAt): Extension => [
  python(),
  parsed.data.of({ autocomplete: memberCompletion(membersAt) }),
];
