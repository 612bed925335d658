import { lexer, type Token, type Tokens } from 'marked';
import { type ReactNode, useMemo } from 'react';
import { visible } from '../text/format.ts';
import styles from './markdown.module.css';

/** Longer texts are shown as they are: nobody reads so much Markdown in a reason. */
const lengthMax = 64 * 1024;

/**
 * Text that a model wrote, with its Markdown. It is hostile: tokens become elements, never HTML;
 * images become links, so that nothing is loaded; links show their host.
 */
export function Markdown({ text }: { text: string }) {
  const tokens = useMemo(
    () => (text.length > lengthMax ? undefined : lexer(visible(text))),
    [text],
  );
  return tokens ? (
    <div className={styles.markdown}>{blocks(tokens)}</div>
  ) : (
    <pre className={styles.markdown}>{visible(text)}</pre>
  );
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
        <p>
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
function HostileLink({ href, text }: { href: string; text: string }) {
  const url = URL.parse(href);
  if (url?.protocol !== 'https:' && url?.protocol !== 'http:') return <>{text || href}</>;
  return (
    <a href={url.href} target="_blank" rel="noopener noreferrer nofollow">
      {text || url.href} ({url.host})
    </a>
  );
}
