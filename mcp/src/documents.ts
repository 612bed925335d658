import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** A page of the documentation. */
export interface Document {
  name: string;
  title: string;
  text: string;
}

/** The pages that help to read results and to write a judge. */
const names = [
  'first-judge',
  'judge-templates',
  'evaluators',
  'is-it-better',
  'reading-a-comparison',
  'errors',
];

/** Reads the pages once, at the start; an image may come without some. */
export function readDocuments(): Document[] {
  return names.flatMap((name) => {
    const file = fileURLToPath(new URL(`../../docs/${name}.md`, import.meta.url));
    try {
      const text = readFileSync(file, 'utf8');
      return [{ name, title: /^# (.*)$/m.exec(text)?.[1] ?? name, text }];
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
      throw error;
    }
  });
}
