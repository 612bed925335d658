import { useEffect, useRef, useState } from 'react';
import { Problem } from '../problem.tsx';
import { Sentence } from '../sentence.tsx';
import type { CodeEditor } from './code-mirror.ts';
import styles from './editor.module.css';
import type { EditorProblem, Language, MembersAt } from './editor-types.ts';

interface EditorProps {
  label: string;
  /** The text at the beginning: a later one would come in the way of typing. */
  text: string;
  /** Raised with a text that was changed elsewhere: the editor then shows it. */
  revision?: number;
  language: Language;
  onChange: (text: string) => void;
  problems: EditorProblem[];
  membersAt: MembersAt;
}

/**
 * An editor of templates and code. It is loaded when it is first shown. Problems of the text stand
 * at their places, and in a list below that leads there.
 */
export function Editor(props: EditorProps) {
  const { language, problems, revision = 0 } = props;
  const host = useRef<HTMLDivElement>(null);
  const [editor, setEditor] = useState<CodeEditor>();
  const [error, setError] = useState<Error>();
  const [attempt, setAttempt] = useState(0);
  const latest = useRef(props);
  latest.current = props;

  // biome-ignore lint/correctness/useExhaustiveDependencies: Another attempt loads it again.
  useEffect(() => {
    let isGone = false;
    let made: CodeEditor | undefined;
    setError(undefined);
    import('./code-mirror.ts')
      .then(({ createCodeEditor }) =>
        createCodeEditor({
          host: host.current!,
          label: latest.current.label,
          text: latest.current.text,
          language,
          onChange: (next) => latest.current.onChange(next),
          membersAt: (path) => latest.current.membersAt(path),
        }),
      )
      .then(
        (loaded) => {
          made = loaded;
          if (isGone) loaded.close();
          else setEditor(loaded);
        },
        (reason: Error) => setError(reason),
      );
    return () => {
      isGone = true;
      made?.close();
      setEditor(undefined);
    };
  }, [language, attempt]);
  useEffect(() => {
    if (revision > 0) editor?.setText(latest.current.text);
  }, [editor, revision]);
  useEffect(() => editor?.setProblems(problems), [editor, problems]);

  return (
    <div className={styles.editor}>
      <div ref={host} className={styles.host} aria-busy={!editor} hidden={error !== undefined} />
      {error && <Problem error={error} retry={() => setAttempt(attempt + 1)} />}
      <p className={styles.hint}>
        {editor ? (
          <>
            <kbd>Tab</kbd> indents. Press <kbd>Esc</kbd>, then <kbd>Tab</kbd>, to leave the editor.
          </>
        ) : (
          !error && 'Loading the editor …'
        )}
      </p>
      <div role="status">
        <ul className={styles.problems} aria-label={`Problems of ${props.label}`}>
          {problems.map(({ line, column, message, severity }) => (
            <li key={`${line}:${column}:${message}`} className={styles[severity]}>
              <button type="button" onClick={() => editor?.goTo(line, column)}>
                Line {line}, column {column}
              </button>{' '}
              <Sentence text={message} />
            </li>
          ))}
        </ul>
      </div>
    </div>
  );
}
