/** The tree of a template: statements, and the expressions inside of them. */
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
  | FilterExpression
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

/** `at` is the offset in the template. */
export interface Identifier {
  type: 'Identifier';
  value: string;
  at: number;
}

export interface Operator {
  value: string;
  at: number;
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

export interface FilterExpression {
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

/** The nodes that a node is made of, in the order in which they are written. */
export function partsOf(node: object): object[] {
  const parts = node instanceof Map ? [...node].flat() : Object.values(node);
  return parts.filter((part): part is object => typeof part === 'object' && part !== null);
}
