import { delimit, delimiterOf, marksLength } from './delimit.ts';
import { type RenderLimits, renderLimits } from './limits.ts';
import { isFaulty, parseTemplate } from './parse.ts';
import { placeOf } from './place.ts';
import {
  createRenderState,
  formatCount,
  RenderFailure,
  type RenderState,
} from './render/render-state.ts';
import { createGlobals, inside, type TemplateValues } from './render/scope.ts';
import { run } from './render/statements.ts';
import type { Piece } from './render/values.ts';
import type { Statement } from './tree.ts';

export type Rendering =
  | { ok: true; text: string /** The word of the marks around data. */; delimiter: string }
  | { ok: false; message: string; line?: number; column?: number };

/**
 * Renders a template and a record to a prompt. Text of the record stands between `<delimiter>` and
 * `</delimiter>`, and cannot contain these marks; guidelines, the template's own words, and counts
 * stand outside them. Values are JSON. A missing field renders as nothing, as does a field of a
 * missing field; texts render as they are, and all else as JSON: `null`, `true`, `{"a": [1]}`.
 * Never throws because of a template or a record: `message` is a sentence for the template's
 * author, with its place (from 1).
 */
export function renderTemplate({
  source,
  values,
  seal,
  limits,
}: {
  source: string;
  /** Each is read when the template first names it. */
  values: TemplateValues;
  /**
   * A text that follows from all values, in place of their JSON: so that those which are not named
   * need not be there.
   */
  seal?: string;
  limits?: Partial<RenderLimits>;
}): Rendering {
  const program = parseTemplate(source);
  if (isFaulty(program)) {
    const [{ at, message }] = program.faults;
    return { ok: false, message: `The template ${message}.`, ...placeOf(source, at) };
  }
  const state = createRenderState({ ...renderLimits, ...limits });
  try {
    const pieces = piecesOf(program, values, state);
    const delimiter = delimiterOf(source, seal ?? JSON.stringify(values));
    return {
      ok: true,
      text: pieces.map(({ text, isData }) => (isData ? delimit(text, delimiter) : text)).join(''),
      delimiter,
    };
  } catch (error) {
    // The limits hold on an ordinary stack. A caller may have left less of it, and a record may be
    // deeper than any that is stored.
    const message =
      error instanceof RangeError
        ? 'The template or the record is nested too deep to be rendered.'
        : undefined;
    if (!message && !(error instanceof RenderFailure)) throw error;
    return {
      ok: false,
      message: message ?? (error as RenderFailure).message,
      ...(state.at !== undefined && placeOf(source, state.at)),
    };
  }
}

function piecesOf(program: Statement[], values: TemplateValues, state: RenderState): Piece[] {
  const pieces: Piece[] = [];
  let length = 0;
  const put = (text: string, isData: boolean) => {
    length += text.length + (isData ? marksLength : 0);
    const lengthMax = state.limits.promptCharactersMax;
    if (length > lengthMax)
      state.fail(`The prompt is longer than ${formatCount(lengthMax)} characters.`);
    pieces.push({ text, isData });
  };
  run(program, inside(createGlobals(values, state)), put, state);
  return pieces;
}
