import {
  autocompletion,
  closeBrackets,
  closeBracketsKeymap,
  completionKeymap,
} from '@codemirror/autocomplete';
import { defaultKeymap, history, historyKeymap, indentWithTab } from '@codemirror/commands';
import { bracketMatching, indentOnInput, syntaxHighlighting } from '@codemirror/language';
import { lintGutter, lintKeymap, setDiagnostics } from '@codemirror/lint';
import { search, searchKeymap } from '@codemirror/search';
import { EditorState, type Extension, type Text } from '@codemirror/state';
import {
  drawSelection,
  EditorView,
  highlightActiveLine,
  highlightSpecialChars,
  keymap,
  lineNumbers,
} from '@codemirror/view';
import type { EditorProblem, Language, MembersAt } from './editor-types.ts';
import { colours, theme } from './theme.ts';

/** Tab indents; these keys lead out of the editor, and are named beside it. */
const wayOut = 'Tab indents. Press Escape, then Tab, to leave the editor.';

const languages: Record<Language, () => Promise<(membersAt: MembersAt) => Extension>> = {
  jinja: async () => (await import('./languages/jinja.ts')).jinjaLanguage,
  javascript: async () => (await import('./languages/javascript.ts')).javascriptLanguage,
  typescript: async () => (await import('./languages/javascript.ts')).typescriptLanguage,
  python: async () => (await import('./languages/python.ts')).pythonLanguage,
};

export interface CodeEditor {
  setProblems(problems: EditorProblem[]): void;
  setText(text: string): void;
  /** Puts the cursor at a place, both counted from 1, and the focus into the editor. */
  goTo(line: number, column: number): void;
  close(): void;
}

/**
 * Makes an editor within a shadow root, where its styles are adopted style sheets: a `<style>` of
 * its own would break the page's security policy.
 */
export async function createCodeEditor({
  host,
  label,
  text,
  language,
  onChange,
  membersAt,
}: {
  host: HTMLElement;
  label: string;
  text: string;
  language: Language;
  onChange: (text: string) => void;
  membersAt: MembersAt;
}): Promise<CodeEditor> {
  const languageOf = await languages[language]();
  const root = host.shadowRoot ?? host.attachShadow({ mode: 'open' });
  const help = document.createElement('p');
  help.id = 'help';
  help.hidden = true;
  help.textContent = wayOut;
  const view = new EditorView({
    root,
    state: EditorState.create({
      doc: text,
      extensions: [
        lineNumbers(),
        lintGutter(),
        history(),
        drawSelection(),
        highlightSpecialChars(),
        highlightActiveLine(),
        bracketMatching(),
        closeBrackets(),
        indentOnInput(),
        autocompletion({ icons: false }),
        search({ top: true }),
        EditorView.lineWrapping,
        EditorView.contentAttributes.of({ 'aria-label': label, 'aria-describedby': help.id }),
        EditorView.updateListener.of(({ docChanged, state }) => {
          if (docChanged) onChange(state.doc.toString());
        }),
        syntaxHighlighting(colours),
        theme,
        languageOf(membersAt),
        keymap.of([
          ...closeBracketsKeymap,
          ...defaultKeymap,
          ...searchKeymap,
          ...historyKeymap,
          ...completionKeymap,
          ...lintKeymap,
          indentWithTab,
        ]),
      ],
    }),
  });
  root.replaceChildren(help, view.dom);
  return {
    setProblems(problems) {
      const { doc } = view.state;
      const diagnostics = problems.map(({ line, column, message, severity }) => {
        const from = placeOf(doc, line, column);
        return { from, to: wordEnd(doc, from), message, severity };
      });
      view.dispatch(setDiagnostics(view.state, diagnostics));
    },
    setText(text) {
      const { doc } = view.state;
      if (text !== doc.toString())
        view.dispatch({ changes: { from: 0, to: doc.length, insert: text } });
    },
    goTo(line, column) {
      const anchor = placeOf(view.state.doc, line, column);
      view.dispatch({ selection: { anchor }, scrollIntoView: true });
      view.focus();
    },
    close: () => view.destroy(),
  };
}

/** A place within the text, even where the text has become shorter meanwhile. */
function placeOf(doc: Text, line: number, column: number): number {
  const { from, to } = doc.line(Math.max(1, Math.min(line, doc.lines)));
  return Math.max(from, Math.min(from + column - 1, to));
}

/** The end of the word, or of the tag, that begins at a place. */
function wordEnd(doc: Text, from: number): number {
  const { to } = doc.lineAt(from);
  const [word = ''] = /^(?:[\w.]+|\S+)/.exec(doc.sliceString(from, to)) ?? [];
  return Math.min(to, from + Math.max(1, word.length));
}
