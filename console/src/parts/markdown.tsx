import { lexer, type Token, type Tokens } from 'marked';
import { type ReactNode, useMemo } from 'react';
import { visible } from '../text/format.ts';
import styles from './markdown.module.css';

/** Longer texts are shown as they are. */
export const markdownLengthMax = 64 * 1024;
/**
 * Marks of emphasis that a paragraph may have: the lexer's time grows with their square, so that
 * 60 KiB of nothing else would stop the page for seconds.
 */
const marksMax = 2000;
/** A line of quotes or lists within each other, on which the lexer runs out of stack. */
const deepLine = /^(?:[ \t]*(?:>|[-*+] |\d{1,9}[.)] )){20}/m;

/**
 * Text that a model wrote, with its Markdown. It is hostile: tokens become elements, never HTML;
 * images become links, so that nothing is loaded; links show their host.
 */
export function Markdown({ text }: { text: string }) {
  const tokens = useMemo(() => tokensOf(text), [text]);
  return tokens ? (
    <div className={styles.markdown}>{blocks(tokens)}</div>
  ) : (
    <pre className={styles.markdown}>{visible(text)}</pre>
  );
}

/** The Markdown of a text; undefined where it would take too long to find. */
export function tokensOf(text: string): Token[] | undefined {
  if (text.length > markdownLengthMax || deepLine.test(text)) return undefined;
  const isHeavy = text
    .split(/\n[ \t]*\n/)
    .some((paragraph) => (paragraph.match(/[*_~]/g)?.length ?? 0) > marksMax);
  return isHeavy ? undefined : lexer(visible(text));
}

const blocks = (tokens: Token[]): ReactNode[] =>
  // biome-ignore lint/suspicious/noArrayIndexKey: Tokens have no id, and do not move.
  tokens.map((token, index) => <Block key={index} token={token} />);

function Block({ token }: { token: Token }): ReactNode {
  switch (token.type) {
    case 'space':
      return null;
    case 'heading':
      return (
        <p data-heading={(token as Tokens.Heading).depth}>
          <strong>{inline(token.tokens)}</strong>
        </p>
      );
    case 'paragraph':
      return <p>{inline(token.tokens)}</p>;
    case 'text':
      return token.tokens ? inline(token.tokens) : plain(token);
    case 'code':
      return (
        <pre>
          <code>{token.text}</code>
        </pre>
      );
    case 'blockquote':
      return <blockquote>{blocks(token.tokens ?? [])}</blockquote>;
    case 'list': {
      const { ordered, start, items } = token as Tokens.List;
      const rows = items.map((item, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: As above.
        <li key={index}>{blocks(item.tokens)}</li>
      ));
      return ordered ? <ol start={Number(start) || 1}>{rows}</ol> : <ul>{rows}</ul>;
    }
    case 'table':
      return <Table table={token as Tokens.Table} />;
    case 'hr':
      return <hr />;
    default:
      return <p>{plain(token)}</p>;
  }
}

const Table = ({ table: { header, rows } }: { table: Tokens.Table }) => (
  <table>
    <thead>
      <tr>
        {header.map((cell, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: As above.
          <th key={index}>{inline(cell.tokens)}</th>
        ))}
      </tr>
    </thead>
    <tbody>
      {rows.map((row, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: As above.
        <tr key={index}>
          {row.map((cell, column) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: As above.
            <td key={column}>{inline(cell.tokens)}</td>
          ))}
        </tr>
      ))}
    </tbody>
  </table>
);

const inline = (tokens: Token[] | undefined): ReactNode[] =>
  // biome-ignore lint/suspicious/noArrayIndexKey: As above.
  (tokens ?? []).map((token, index) => <Inline key={index} token={token} />);

function Inline({ token }: { token: Token }): ReactNode {
  switch (token.type) {
    case 'strong':
      return <strong>{inline(token.tokens)}</strong>;
    case 'em':
      return <em>{inline(token.tokens)}</em>;
    case 'del':
      return <del>{inline(token.tokens)}</del>;
    case 'codespan':
      return <code>{token.text}</code>;
    case 'br':
      return <br />;
    case 'link':
    case 'image':
      return <HostileLink href={token.href} text={token.text} />;
    case 'escape':
      return token.text;
    case 'text':
      return token.tokens ? inline(token.tokens) : plain(token);
    default:
      return plain(token);
  }
}

/** What the writer typed: HTML among it is text. */
const plain = ({ raw }: Token): ReactNode => raw;

/** A link that a record wrote: it says where it leads; what is no web address is text. */
export function HostileLink({ href, text }: { href: string; text: string }) {
  const url = URL.parse(href);
  if (url?.protocol !== 'https:' && url?.protocol !== 'http:') return <>{text || href}</>;
  return (
    <a href={url.href} target="_blank" rel="noopener noreferrer nofollow">
      {text || url.href} ({url.host})
    </a>
  );
}
