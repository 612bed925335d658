import { jinjaCompletionSource, jinjaLanguage as parsed } from '@codemirror/lang-jinja';
import { LanguageSupport } from '@codemirror/language';
import type { MembersAt } from '../editor-types.ts';
import { completionsOf } from './completion.ts';

/**
 * A prompt's template, with the names that it can use. Not by `jinja()`: that closes `{%` by a `%}`
 * over which one cannot type.
 */
export const jinjaLanguage = (membersAt: MembersAt): LanguageSupport =>
  new LanguageSupport(parsed, [
    parsed.data.of({
      closeBrackets: { brackets: ['{', '(', '[', '"', "'"] },
      autocomplete: jinjaCompletionSource({
        variables: completionsOf(membersAt([]), 'variable'),
        properties: (path) => completionsOf(membersAt(path), 'property'),
      }),
    }),
  ]);
