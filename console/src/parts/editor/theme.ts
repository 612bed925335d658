import { HighlightStyle } from '@codemirror/language';
import { EditorView } from '@codemirror/view';
import { tags } from '@lezer/highlight';

/** The page's own colours, which reach into the shadow root: they follow its theme. */
export const theme = EditorView.theme({
  '&': {
    height: '100%',
    color: 'var(--ink)',
    backgroundColor: 'var(--surface)',
    fontSize: 'var(--small)',
  },
  // The focus is shown around the whole of it.
  '&.cm-focused': { outline: 'none' },
  '.cm-scroller': { fontFamily: 'var(--code)', lineHeight: '1.55' },
  '.cm-content': { padding: '8px 0', caretColor: 'var(--ink)' },
  '.cm-gutters': {
    color: 'var(--ink-soft)',
    backgroundColor: 'var(--raised)',
    borderRight: '1px solid var(--line)',
  },
  '.cm-activeLine, .cm-activeLineGutter': { backgroundColor: 'transparent' },
  '&.cm-focused .cm-activeLine, &.cm-focused .cm-activeLineGutter': {
    backgroundColor: 'color-mix(in oklab, var(--accent) 8%, transparent)',
  },
  '.cm-cursor, .cm-dropCursor': { borderLeftColor: 'var(--ink)' },
  '&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground':
    { background: 'light-dark(#bcd9f7, #2d5685)' },
  '&.cm-focused .cm-matchingBracket': { backgroundColor: 'var(--chosen)' },
  '.cm-specialChar': { color: 'var(--problem)' },
  '.cm-tooltip, .cm-panels': {
    color: 'var(--ink)',
    backgroundColor: 'var(--surface)',
    border: '1px solid var(--line-strong)',
  },
  '.cm-tooltip-autocomplete > ul': { fontFamily: 'var(--code)' },
  '.cm-tooltip-autocomplete > ul > li[aria-selected]': {
    color: 'var(--on-accent)',
    backgroundColor: 'var(--accent)',
  },
  '.cm-textfield, .cm-button': {
    color: 'var(--ink)',
    background: 'var(--surface)',
    border: '1px solid var(--line-strong)',
  },
  '.cm-searchMatch': { backgroundColor: 'var(--removed)' },
  '.cm-searchMatch-selected': { backgroundColor: 'var(--added)' },
  '.cm-diagnostic': { fontFamily: 'var(--text)' },
  '.cm-diagnostic-error': { borderLeftColor: 'var(--problem)' },
  '.cm-diagnostic-warning': { borderLeftColor: 'var(--fail)' },
  '.cm-lintRange-error': {
    backgroundImage: 'none',
    textDecoration: 'underline wavy var(--problem)',
  },
  '.cm-lintRange-warning': {
    backgroundImage: 'none',
    textDecoration: 'underline wavy var(--fail)',
  },
});

/** The colours of code, which stands out from the text of a prompt. */
export const colours = HighlightStyle.define([
  {
    tag: [tags.keyword, tags.controlKeyword, tags.definitionKeyword, tags.operatorKeyword],
    color: 'var(--fail)',
    fontWeight: '600',
  },
  { tag: [tags.variableName, tags.propertyName], color: 'var(--accent)' },
  { tag: [tags.brace, tags.derefOperator, tags.operator], color: 'var(--ink-soft)' },
  { tag: [tags.string, tags.number, tags.bool, tags.null], color: 'var(--pass)' },
  { tag: [tags.comment], color: 'var(--ink-soft)', fontStyle: 'italic' },
  { tag: tags.invalid, color: 'var(--problem)' },
]);
