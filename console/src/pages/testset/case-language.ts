import { memberText } from '@assay/json/members';
import { parseJson } from '@assay/json/parse';
import { type FilterKind, type FilterLanguage, oneValue } from '../../parts/filter/language.ts';
import { escapedKey } from '../../text/pointers.ts';
import type { Field } from './fields.ts';

/** The filters of a testset's testcases, as the URL has them. */
export interface CaseState {
  q?: string | undefined;
  invalid?: 'true' | undefined;
  /** Each an object with one JSON Pointer into the data, and the value there. */
  where?: string[] | undefined;
}

/** The parts of a testset of which its language is made. */
interface CaseFields {
  fields?: Pick<Field, 'name' | 'types'>[];
  /** The field that has the tags, and those that are known. */
  tagsField?: string | undefined;
  tags?: string[];
}

/** Everything that testcases can be filtered by. */
export function caseLanguage({
  fields = [],
  tagsField,
  tags = [],
}: CaseFields = {}): FilterLanguage<CaseState> {
  const own: FilterKind<CaseState>[] = [
    {
      ...oneValue<CaseState>('invalid', {
        key: 'is',
        name: 'Testcases',
        values: [{ value: 'invalid' }],
      }),
      valuesIn: ({ invalid }) => (invalid ? ['invalid'] : []),
      add: () => ({ invalid: 'true' }),
    },
    ...(tagsField === undefined
      ? []
      : [fieldKind({ name: tagsField, types: ['string'] }, { key: 'tag', name: 'Tag', tags })]),
  ];
  const taken = new Set(own.map(({ key }) => key.toLowerCase()));
  const byField = fields.flatMap((field) => {
    const key = field.name.toLowerCase();
    if (key === '' || field.name === tagsField || taken.has(key)) return [];
    taken.add(key);
    return [fieldKind(field, { key: field.name, name: field.name, tags: [] })];
  });
  return {
    kinds: [...own, ...byField],
    text: { parameter: 'q', name: 'Text', charactersMax: 256 },
  };
}

/** Filters by the value of one field. */
function fieldKind(
  { name: field, types }: Pick<Field, 'name' | 'types'>,
  { key, name, tags }: { key: string; name: string; tags: string[] },
): FilterKind<CaseState> {
  const pointer = `/${escapedKey(field)}`;
  const others = ({ where = [] }: CaseState) =>
    where.filter((one) => memberText(one, pointer) === undefined);
  return {
    key,
    name,
    values: tags.map((value) => ({ value })),
    example: tags[0] ?? 'value',
    isWritten: true,
    valuesIn: ({ where = [] }) =>
      where.flatMap((one) => {
        const json = memberText(one, pointer);
        return json === undefined ? [] : [shownValue(json)];
      }),
    add: (state, value) => ({
      where: [...others(state), `{${JSON.stringify(pointer)}:${jsonOf(value, types)}}`],
    }),
    remove: (state) => {
      const where = others(state);
      return { where: where.length > 0 ? where : undefined };
    },
  };
}

/** A value as the field's type has it: a number is one only where the field may have numbers. */
function jsonOf(value: string, types: string[]): string {
  const isNumber = types.some((type) => type === 'number' || type === 'integer');
  if (isNumber && /^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$/.test(value)) return value;
  if (types.includes('boolean') && /^(true|false)$/.test(value)) return value;
  return JSON.stringify(value);
}

function shownValue(json: string): string {
  try {
    const value: unknown = parseJson(json);
    return typeof value === 'string' ? value : json;
  } catch {
    return json;
  }
}

/** The filters by fields as the API takes them: one object; undefined where there are none. */
export function whereOf({ where = [] }: CaseState): string | undefined {
  const members = where.map((one) => one.trim().replace(/^\{|\}$/g, '')).filter(Boolean);
  return members.length > 0 ? `{${members.join(',')}}` : undefined;
}
