import { Download as DownloadIcon, Pilcrow, Search } from 'lucide-react';
import {
  type KeyboardEvent,
  type ReactNode,
  use,
  useEffect,
  useMemo,
  useRef,
  useState,
} from 'react';
import { formatBytes, formatCount, visible } from '../../text/format.ts';
import { Button } from '../button.tsx';
import { CopyButton } from '../copy.tsx';
import { DownloadButton } from '../download-button.tsx';
import { Problem } from '../problem.tsx';
import { useAsWritten } from './as-written.ts';
import { JsonView } from './json-view.tsx';
import { ChosenText, StringPane } from './long-text.tsx';
import { nodeAt } from './passage.ts';
import { type Passages, PassagesContext } from './passages.ts';
import styles from './payload.module.css';
import { ReadingView } from './reading.tsx';
import { type JsonNode, textOf } from './scan.ts';
import { createScanner, type Scanner } from './scanner.ts';
import { type LoadedBytes, useBytes } from './use-bytes.ts';

export const payloadViews = ['reading', 'json', 'raw', 'diff'] as const;
export type PayloadView = (typeof payloadViews)[number];

const viewNames: Record<PayloadView, string> = {
  reading: 'Reading',
  json: 'JSON',
  raw: 'Raw',
  diff: 'Difference',
};

/** What is shown of a payload that is still coming, and of one shown raw. */
const rawBytes = 256 * 1024;
/** What is copied at most: a clipboard is for people. */
const copiedBytes = 1024 * 1024;

interface PayloadProps {
  title: string;
  /** Where its bytes are. */
  url: string;
  view: PayloadView;
  setView: (view: PayloadView) => void;
  /** Shows how it differs from what was expected; left out where there is nothing to compare. */
  difference?: (bytes: Uint8Array) => ReactNode;
  /** Takes the JSON Pointer of a chosen value. */
  pick?: { text: string; take: (pointer: string) => void } | undefined;
  /** What people have said of its passages, where they can do so. */
  passages?: Passages;
}

/** A payload of any size and shape, with the views that suit it, a search and a download. */
export function Payload({ title, url, view, setView, difference, pick, passages }: PayloadProps) {
  const { loaded, error, retry } = useBytes(url);
  const views = payloadViews.filter((one) => one !== 'diff' || difference);
  const finding = useFinding(url);
  return (
    <section className={styles.payload} aria-label={title} data-payload>
      <Head
        title={title}
        loaded={loaded}
        views={views}
        view={view}
        setView={setView}
        find={() => finding.set(true)}
      >
        <DownloadButton url={`${url}?download=1`} className={styles.download}>
          <DownloadSign />
        </DownloadButton>
      </Head>
      {error ? (
        <Problem error={error} retry={retry} />
      ) : !loaded ? (
        <p className={styles.raw}>Reading …</p>
      ) : !loaded.isComplete ? (
        <RawText bytes={loaded.bytes} />
      ) : (
        <PassagesContext value={passages}>
          <Loaded
            key={url}
            title={title}
            bytes={loaded.bytes}
            view={views.includes(view) ? view : 'reading'}
            difference={difference}
            pick={pick}
            finding={finding}
          />
        </PassagesContext>
      )}
    </section>
  );
}

/** A payload whose bytes are here, without a URL of its own. */
export function BytesPayload({
  title,
  bytes,
  file,
  views = ['reading', 'json', 'raw'],
  view,
  setView,
}: Pick<PayloadProps, 'title' | 'setView'> & {
  bytes: Uint8Array;
  /** The name of the file in which it is downloaded. */
  file: string;
  views?: PayloadView[];
  /** One of the views; anything else is the first of them. */
  view: PayloadView;
}) {
  const shown = views.includes(view) ? view : views[0]!;
  const finding = useFinding(file);
  return (
    <section className={styles.payload} aria-label={title} data-payload>
      <Head
        title={title}
        loaded={{ bytes, isComplete: true, total: bytes.length }}
        views={views}
        view={shown}
        setView={setView}
        find={() => finding.set(true)}
      >
        <DownloadBytes bytes={bytes} file={file} />
      </Head>
      <Loaded title={title} bytes={bytes} view={shown} finding={finding} />
    </section>
  );
}

function DownloadBytes({ bytes, file }: { bytes: Uint8Array; file: string }) {
  const [url, setUrl] = useState<string>();
  useEffect(() => {
    const blob = new Blob([bytes as BlobPart], { type: 'application/json' });
    const made = URL.createObjectURL(blob);
    setUrl(made);
    return () => URL.revokeObjectURL(made);
  }, [bytes]);
  return (
    <a href={url} download={file} className={styles.download}>
      <DownloadSign />
    </a>
  );
}

const DownloadSign = () => (
  <>
    <DownloadIcon aria-hidden size={14} />
    <span className="for-screen-readers">Download</span>
  </>
);

/** The title and size of a payload, its views, and the buttons that take the whole of it. */
function Head({
  title,
  loaded,
  views,
  view,
  setView,
  find,
  children,
}: Pick<PayloadProps, 'title' | 'view' | 'setView'> & {
  loaded: LoadedBytes | undefined;
  views: readonly PayloadView[];
  find: () => void;
  /** Downloads it. */
  children: ReactNode;
}) {
  return (
    <header className={styles.head}>
      <h2>
        {title}{' '}
        {loaded && (
          <span className={styles.size}>
            {formatBytes(loaded.bytes.length)}
            {!loaded.isComplete && (loaded.total ? ` of ${formatBytes(loaded.total)} …` : ' …')}
          </span>
        )}
      </h2>
      <select
        aria-label={`View of ${title}`}
        value={view}
        onChange={({ target }) => setView(target.value as PayloadView)}
      >
        {views.map((one) => (
          <option key={one} value={one}>
            {viewNames[one]}
          </option>
        ))}
      </select>
      {loaded?.isComplete && view === 'reading' && <AsWritten title={title} />}
      {loaded?.isComplete && (
        <Button
          kind="quiet"
          className={styles.tool}
          data-find
          aria-label={`Find in ${title}`}
          title="Find"
          onClick={find}
        >
          <Search aria-hidden size={14} />
        </Button>
      )}
      {loaded?.isComplete && loaded.bytes.length <= copiedBytes && (
        <CopyButton text={textOf(loaded.bytes, { start: 0, end: loaded.bytes.length })} />
      )}
      {children}
    </header>
  );
}

/** Shows all texts as they were written, in place of their Markdown, JSON and pictures. */
function AsWritten({ title }: { title: string }) {
  const [isAsWritten, setAsWritten] = useAsWritten();
  return (
    <Button
      kind="quiet"
      className={styles.tool}
      aria-label={`Show ${title} as written`}
      aria-pressed={isAsWritten}
      title="As written: without Markdown, pictures and opened JSON"
      onClick={() => setAsWritten(!isAsWritten)}
    >
      <Pilcrow aria-hidden size={14} />
    </Button>
  );
}

interface Finding {
  isOn: boolean;
  set: (isOn: boolean) => void;
}

/** Whether something is looked for in a payload; in another one, not yet. */
function useFinding(payload: string): Finding {
  const [foundIn, setFoundIn] = useState<string>();
  return {
    isOn: foundIn === payload,
    set: (isOn) => setFoundIn(isOn ? payload : undefined),
  };
}

function Loaded({
  title,
  bytes,
  view,
  difference,
  pick,
  finding: { isOn: isFinding, set: setFinding },
}: Pick<PayloadProps, 'title' | 'view'> &
  Partial<Pick<PayloadProps, 'difference' | 'pick'>> & { bytes: Uint8Array; finding: Finding }) {
  const scanner = useScanner(bytes);
  const [place, setPlace] = useState<number>();
  const [chosen, setChosen] = useState<{ pointer: string; node: JsonNode }>();
  const passage = use(PassagesContext)?.chosen;
  useEffect(() => {
    if (!passage) return;
    setChosen(undefined);
    void nodeAt(bytes, scanner, passage.pointer).then((node) => setPlace(node?.start));
  }, [bytes, scanner, passage]);
  const onKeyDown = (event: KeyboardEvent) => {
    if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === 'f') {
      event.preventDefault();
      setFinding(true);
    } else if (event.key === 'Escape' && isFinding) {
      event.stopPropagation();
      setFinding(false);
    }
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: Keys of what is inside.
    <div className={styles.body} onKeyDown={onKeyDown}>
      {isFinding && (
        <Find bytes={bytes} scanner={scanner} show={setPlace} close={() => setFinding(false)} />
      )}
      {isFinding || view === 'json' ? (
        <JsonView
          bytes={bytes}
          scanner={scanner}
          label={title}
          place={place}
          choose={(pointer, node) => setChosen({ pointer, node })}
        />
      ) : view === 'raw' ? (
        <RawText bytes={bytes} />
      ) : view === 'diff' ? (
        difference?.(bytes)
      ) : (
        <ReadingView bytes={bytes} scanner={scanner} label={title} />
      )}
      {view === 'json' && chosen?.node.kind === 'string' ? (
        <StringPane bytes={bytes} {...chosen} />
      ) : (
        (view !== 'reading' || isFinding) && <ChosenText bytes={bytes} scanner={scanner} />
      )}
      {chosen && view === 'json' && (
        <footer className={styles.foot}>
          <code>{visible(chosen.pointer)}</code>
          {pick && <Button onClick={() => pick.take(chosen.pointer)}>{pick.text}</Button>}
          <CopyButton text={chosen.pointer} label="Copy the pointer" />
          <CopyButton text={textOf(bytes, chosen.node, copiedBytes)} label="Copy the value" />
        </footer>
      )}
    </div>
  );
}

/** A scanner of these bytes; its worker ends with the component. */
function useScanner(bytes: Uint8Array): Scanner {
  const scanner = useMemo(() => createScanner(bytes), [bytes]);
  useEffect(() => scanner.close, [scanner]);
  return scanner;
}

function RawText({ bytes }: { bytes: Uint8Array }) {
  const [from, setFrom] = useState(0);
  const to = Math.min(bytes.length, from + rawBytes);
  return (
    <>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: What scrolls can be reached by keys. */}
      <pre className={styles.raw} tabIndex={0}>
        {visible(textOf(bytes, { start: from, end: to }))}
      </pre>
      {bytes.length > rawBytes && (
        <p className={styles.foot}>
          {formatBytes(from)} to {formatBytes(to)} of {formatBytes(bytes.length)}
          <Button kind="quiet" disabled={from === 0} onClick={() => setFrom(from - rawBytes)}>
            Back
          </Button>
          <Button kind="quiet" disabled={to === bytes.length} onClick={() => setFrom(to)}>
            Continue
          </Button>
        </p>
      )}
    </>
  );
}

/** Finds a text in the bytes, and shows one place after the other. */
function Find({
  bytes,
  scanner,
  show,
  close,
}: {
  bytes: Uint8Array;
  scanner: Scanner;
  show: (place: number | undefined) => void;
  close: () => void;
}) {
  const input = useRef<HTMLInputElement>(null);
  const [places, setPlaces] = useState(new Uint32Array());
  const [index, setIndex] = useState(0);
  const [text, setText] = useState('');
  useEffect(() => input.current?.focus(), []);
  // biome-ignore lint/correctness/useExhaustiveDependencies: Bytes and scanner belong together.
  useEffect(() => {
    if (text === '') return setPlaces(new Uint32Array());
    const timer = setTimeout(() => {
      void scanner.find(text).then((found) => {
        setPlaces(found as typeof places);
        setIndex(0);
        show(found[0]);
      });
    }, 150);
    return () => clearTimeout(timer);
  }, [text, bytes]);
  const go = (by: number) => {
    if (places.length === 0) return;
    const next = (index + by + places.length) % places.length;
    setIndex(next);
    show(places[next]);
  };
  return (
    <div className={styles.find}>
      <input
        ref={input}
        type="search"
        aria-label="Find in the payload"
        placeholder="Find"
        value={text}
        onChange={({ target }) => setText(target.value)}
        onKeyDown={({ key, shiftKey }) => {
          if (key === 'Enter') go(shiftKey ? -1 : 1);
        }}
      />
      <span role="status">
        {text !== '' &&
          (places.length === 0
            ? 'not found'
            : `${formatCount(index + 1)} of ${formatCount(places.length)}`)}
      </span>
      <Button kind="quiet" aria-label="Previous place" onClick={() => go(-1)}>
        ↑
      </Button>
      <Button kind="quiet" aria-label="Next place" onClick={() => go(1)}>
        ↓
      </Button>
      <Button kind="quiet" aria-label="Close the search" onClick={close}>
        ✕
      </Button>
    </div>
  );
}
