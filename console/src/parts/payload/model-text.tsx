import { visible } from '../../text/format.ts';
import { looksLikeMarkdown } from '../../text/looks-like-markdown.ts';
import { Markdown, markdownLengthMax } from '../markdown.tsx';
import { useAsWritten } from './as-written.ts';

/** A text of a record or a trace, with its Markdown where it has some. */
export function ModelText({ text, className }: { text: string; className: string | undefined }) {
  const [isAsWritten] = useAsWritten();
  const isMarkdown = !isAsWritten && text.length <= markdownLengthMax && looksLikeMarkdown(text);
  if (!isMarkdown) return <p className={className}>{visible(text)}</p>;
  return (
    <div className={className}>
      <Markdown text={text} />
    </div>
  );
}
