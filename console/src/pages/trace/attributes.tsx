import { useState } from 'react';
import { Button } from '../../parts/button.tsx';
import { countOf, visible } from '../../text/format.ts';
import { indentedJson } from '../../text/json.ts';
import { Clipped } from './clipped.tsx';
import styles from './trace.module.css';
import type { Span } from './use-span.ts';

/** Attributes that are shown at first. */
const shownMax = 200;

/** Names with their values, in the order of the names. */
export function AttributeList({ attributes }: { attributes: Record<string, unknown> }) {
  const [shown, setShown] = useState(shownMax);
  const names = Object.keys(attributes).sort();
  if (names.length === 0) return <p className={styles.none}>None.</p>;
  return (
    <>
      <dl className={styles.attributes}>
        {names.slice(0, shown).map((name) => {
          const value = attributes[name];
          const isText = typeof value === 'string';
          return (
            <div key={name}>
              <dt>{visible(name)}</dt>
              <dd>
                <Clipped text={isText ? value : indentedJson(value)} isCode />
              </dd>
            </div>
          );
        })}
      </dl>
      {names.length > shown && (
        <Button kind="quiet" onClick={() => setShown(names.length)}>
          Show all {countOf(names.length, 'attribute')}
        </Button>
      )}
    </>
  );
}

/** Everything that a span, its resource and its instrumentation say of themselves. */
export function Attributes({ span }: { span: Span }) {
  const { name, version, attributes } = span.scope;
  return (
    <div className={styles.sections}>
      <section>
        <h3>Of the span</h3>
        <AttributeList attributes={span.attributes} />
      </section>
      <section>
        <h3>Of its resource</h3>
        <AttributeList attributes={span.resource} />
      </section>
      <section>
        <h3>Of its instrumentation</h3>
        <AttributeList attributes={{ name, version, ...attributes }} />
      </section>
      {span.links.length > 0 && (
        <section>
          <h3>Linked spans</h3>
          {span.links.map((link, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: A span may link to another one twice.
            <AttributeList key={index} attributes={{ ...link.attributes, ...idsOf(link) }} />
          ))}
        </section>
      )}
      {Object.keys(span.from).length > 0 && (
        <section>
          <h3>Which of them was read</h3>
          <AttributeList attributes={span.from} />
        </section>
      )}
    </div>
  );
}

const idsOf = ({ traceId, spanId }: Span['links'][number]) => ({ traceId, spanId });
