import { LanguageSupport, StreamLanguage } from '@codemirror/language';

/**
 * The text around the tags of a prompt's template. It stands in for the HTML of
 * `@codemirror/lang-html`, which would bring the languages of a whole web page with it
 * (vite.config.ts).
 */
export const html = (): LanguageSupport =>
  new LanguageSupport(
    StreamLanguage.define({
      token: (line) => {
        line.skipToEnd();
        return null;
      },
    }),
  );
