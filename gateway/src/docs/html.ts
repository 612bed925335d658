/** HTML that `html` made. A text is never one, so that all that comes from elsewhere is escaped. */
export class Html {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

export type Content = Html | string | number | undefined | false | readonly Content[];

/** Returns HTML in which every value is escaped, but for HTML that was made by this function. */
export const html = (parts: TemplateStringsArray, ...values: Content[]): Html =>
  new Html(parts.reduce((text, part, index) => text + textOf(values[index - 1]) + part));

function textOf(content: Content): string {
  if (content === undefined || content === false) return '';
  if (content instanceof Html) return content.text;
  if (typeof content === 'object') return content.map(textOf).join('');
  return escapeHtml(String(content));
}

const entities: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

const escapeHtml = (text: string): string =>
  text.replaceAll(/[&<>"']/g, (character) => entities[character]!);
