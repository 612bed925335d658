import { parse } from '@huggingface/jinja';
import type { Token } from './lexer.ts';

/**
 * The nodes that the parser of @huggingface/jinja makes; the library does not export their types.
 */
export type Expression =
  | Identifier
  | { type: 'StringLiteral'; value: string }
  | { type: 'IntegerLiteral'; value: number }
  | { type: 'FloatLiteral'; value: number }
  | { type: 'ArrayLiteral'; value: Expression[] }
  | { type: 'TupleLiteral'; value: Expression[] }
  | { type: 'ObjectLiteral'; value: Map<Expression, Expression> }
  | Member
  | Call
  | Filtered
  | { type: 'TestExpression'; operand: Expression; negate: boolean; test: Identifier }
  | { type: 'BinaryExpression'; operator: Operator; left: Expression; right: Expression }
  | { type: 'UnaryExpression'; operator: Operator; argument: Expression }
  | { type: 'Ternary'; condition: Expression; trueExpr: Expression; falseExpr: Expression }
  | Select;

export type Statement =
  | Expression
  | { type: 'Comment' | 'Break' | 'Continue' }
  | { type: 'If'; test: Expression; body: Statement[]; alternate: Statement[] }
  | For
  | { type: 'Set'; assignee: Expression; value: Expression | null; body: Statement[] }
  | Macro
  | CallBlock
  | { type: 'FilterStatement'; filter: Expression; body: Statement[] };

/**
 * `at` is the offset in the template. The words of the language (`in`, `not`, `if` …) have none
 * where they name a field.
 */
export interface Identifier {
  type: 'Identifier';
  value: string;
  at?: number;
}

/** `not in` is an operator that the parser makes itself, without a place. */
export interface Operator {
  value: string;
  at?: number;
}

export interface Member {
  type: 'MemberExpression';
  object: Expression;
  property: Expression | Slice;
  computed: boolean;
}

export interface Slice {
  type: 'SliceExpression';
  start?: Expression;
  stop?: Expression;
  step?: Expression;
}

export interface Call {
  type: 'CallExpression';
  callee: Expression;
  args: Argument[];
}

export type Argument =
  | Expression
  | { type: 'SpreadExpression' | 'KeywordSpreadExpression'; argument: Expression }
  | { type: 'KeywordArgumentExpression'; key: Identifier; value: Expression };

export interface Filtered {
  type: 'FilterExpression';
  operand: Expression;
  /** A name, or a call of one. */
  filter: Expression;
}

/** `a if b` without `else`, and the list of a loop with its condition. */
export interface Select {
  type: 'SelectExpression';
  lhs: Expression;
  test: Expression;
}

export interface For {
  type: 'For';
  loopvar: Expression;
  iterable: Expression;
  body: Statement[];
  defaultBlock: Statement[];
}

export type Parameter =
  | Identifier
  | { type: 'KeywordArgumentExpression'; key: Identifier; value: Expression };

export interface Macro {
  type: 'Macro';
  name: Identifier;
  args: Parameter[];
  body: Statement[];
}

export interface CallBlock {
  type: 'CallStatement';
  call: Call;
  callerArgs: Parameter[] | null;
  body: Statement[];
}

export type Node = Statement | Argument | Slice;

/** Words that the parser takes for parts of the language wherever they stand. */
export const reservedWords = new Set(['in', 'not', 'and', 'or', 'if', 'else', 'is']);

/**
 * The tree of a template whose tokens are known to be sound. The parser keeps no places, so a name
 * goes through it with its offset written into it, as `inputs@3`, which no name of a template can
 * be.
 */
export function treeOf(tokens: Token[]): Statement[] {
  const marked = tokens.map((token, index) => {
    const isTag = tokens[index - 1]?.type === 'OpenStatement';
    return token.type !== 'Identifier' || isTag || reservedWords.has(token.value)
      ? token
      : { ...token, value: `${token.value}@${token.at}` };
  });
  const program = parse(marked as never) as unknown as { body: Statement[] };
  placeNames(program);
  return program.body;
}

/** Without recursion, since a tree may be as deep as a tag is long. */
function placeNames(program: object): void {
  const rest: object[] = [program];
  for (let node = rest.pop(); node; node = rest.pop()) {
    if (isIdentifier(node)) {
      const [name, at] = node.value.split('@') as [string, string?];
      Object.assign(node, { value: name, at: at === undefined ? undefined : Number(at) });
    } else rest.push(...partsOf(node));
  }
}

const isIdentifier = (node: object): node is Identifier =>
  (node as { type?: unknown }).type === 'Identifier' && !('end' in node);

/** The nodes that a node is made of, in the order in which they are written. */
export function partsOf(node: object): object[] {
  const parts = node instanceof Map ? [...node].flat() : Object.values(node);
  return parts.filter((part): part is object => typeof part === 'object' && part !== null);
}
