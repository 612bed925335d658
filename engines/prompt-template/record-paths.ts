import { nearest } from './nearest.ts';
import { isFaulty, parseTemplate } from './parse.ts';
import { placeOf } from './place.ts';
import { type Identifier, type Node, partsOf } from './tree.ts';

/** The fields that a project's testsets give to records. */
export interface KnownFields {
  inputs: string[];
  expected: string[];
}

/** A part of the record that a template reads, as `inputs.question`. */
interface RecordPath {
  names: string[];
  at: number;
}

/** A remark on a template with its place. The message is a sentence. */
export interface TemplateRemark {
  line: number;
  column: number;
  message: string;
}

const ofRecord = new Set(['inputs', 'expected', 'outputs', 'all', 'allInputs', 'first', 'second']);
const unknownFieldsMax = 20;

/** Whether a prompt template reads anything of the record; true for one that does not parse. */
export function readsRecord(source: string): boolean {
  const paths = recordPathsOf(source);
  return paths === undefined || paths.length > 0;
}

/**
 * Returns the fields of `inputs` and `expected` that a template reads and that are none of these, up
 * to 20, in their order; none of a template that does not parse.
 */
export function findUnknownFields(source: string, fields: KnownFields): TemplateRemark[] {
  const told = new Set<string>();
  return (recordPathsOf(source) ?? [])
    .sort((a, b) => a.at - b.at)
    .flatMap(({ names: [role, name], at }) => {
      if ((role !== 'inputs' && role !== 'expected') || name === undefined) return [];
      const message = unknownField(role, name, fields);
      if (message === undefined || told.has(message)) return [];
      told.add(message);
      return [{ ...placeOf(source, at), message }];
    })
    .slice(0, unknownFieldsMax);
}

/** Why a field is none of the project's, as a sentence; undefined where it is one. */
export function unknownField(
  role: keyof KnownFields,
  name: string,
  fields: KnownFields,
): string | undefined {
  if (fields[role].includes(name)) return undefined;
  const other = role === 'inputs' ? 'expected' : 'inputs';
  const close = nearest(name, fields[role]);
  const meant = fields[other].includes(name)
    ? `${other}.${name}`
    : close === undefined
      ? undefined
      : `${role}.${close}`;
  const hint = meant === undefined ? '' : ` Did you mean ${meant}?`;
  return `${role}.${name} is read, and no testset of the project has such a field.${hint}`;
}

/** Undefined where the template does not parse. A name that the template binds is its own. */
function recordPathsOf(source: string): RecordPath[] | undefined {
  const program = parseTemplate(source);
  if (isFaulty(program)) return undefined;
  const paths: RecordPath[] = [];
  const bound = new Set<string>();
  const rest: object[] = [...program];
  for (let node = rest.pop(); node; node = rest.pop()) {
    for (const name of boundBy(node as Node)) bound.add(name);
    const { path, others } = readBy(node as Node);
    if (path && ofRecord.has(path.names[0]!)) paths.push(withoutAlias(path));
    rest.push(...others);
  }
  return paths.filter(({ names }) => !bound.has(names[0]!));
}

function boundBy(node: Node): string[] {
  const target =
    node.type === 'Set' ? node.assignee : node.type === 'For' ? node.loopvar : undefined;
  if (target?.type === 'Identifier') return [target.value];
  if (target?.type === 'TupleLiteral')
    return target.value.flatMap((item) => (item.type === 'Identifier' ? [item.value] : []));
  return node.type === 'Macro'
    ? node.args.map((argument) => ('key' in argument ? argument.key.value : argument.value))
    : [];
}

/** The path that a node is, and the nodes in it that are still to be read. */
function readBy(node: Node): { path?: RecordPath; others: object[] } {
  if (node.type === 'CallExpression' && node.callee.type === 'MemberExpression')
    // The last name is that of the method.
    return { others: [node.callee.object, ...node.args] };
  if (node.type === 'Identifier') return { path: { names: [node.value], at: node.at }, others: [] };
  if (node.type !== 'MemberExpression') return { others: partsOf(node) };
  const names: (string | undefined)[] = [];
  const others: object[] = [];
  let root: Node = node;
  while (root.type === 'MemberExpression') {
    names.unshift(nameIn(root.property, root.computed));
    if (root.computed) others.push(root.property);
    root = root.object;
  }
  if (root.type !== 'Identifier') return { others: [...others, root] };
  const end = names.indexOf(undefined);
  const known = (end < 0 ? names : names.slice(0, end)) as string[];
  return { path: { names: [root.value, ...known], at: (root as Identifier).at }, others };
}

function nameIn(property: Node, isComputed: boolean): string | undefined {
  if (property.type === 'StringLiteral') return property.value;
  return !isComputed && property.type === 'Identifier' ? property.value : undefined;
}

function withoutAlias({ names: [first, ...others], at }: RecordPath): RecordPath {
  if (first === 'allInputs') return { names: ['inputs', ...others], at };
  return first === 'all' && others.length > 0
    ? { names: others, at }
    : { names: [first!, ...others], at };
}
