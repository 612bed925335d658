import type { Token } from '../lexer.ts';
import type {
  Argument,
  Call,
  Expression,
  Identifier,
  Operator,
  Parameter,
  Slice,
} from '../tree.ts';
import type { TokenReader } from './token-reader.ts';

export type ExpressionParser = ReturnType<typeof createExpressionParser>;

/**
 * Parses expressions as Jinja does, from the weakest operator to the strongest: `a if b else c`,
 * `or`, `and`, `not`, comparisons and `in`, `+ - ~`, `* / // %`, `**`, `is`, `|`, a sign, and then
 * members and calls (https://jinja.palletsprojects.com/en/stable/templates/#expressions).
 */
export function createExpressionParser(reader: TokenReader) {
  const { next, isNext, refuse, take, skip, skipWords, takeName, takeFieldName } = reader;

  /** `a if b else c`; without `else`, the items of a loop and its condition. */
  function parseExpression(): Expression {
    const first = parseOr();
    if (!skipWords('if')) return first;
    const test = parseOr();
    return skipWords('else')
      ? { type: 'Ternary', condition: test, trueExpr: first, falseExpr: parseExpression() }
      : { type: 'SelectExpression', lhs: first, test };
  }

  /** Operands of one strength, with operators between them, from left to right. */
  function parseBinary(parseOperand: () => Expression, takeOperator: () => Operator | undefined) {
    let left = parseOperand();
    for (let operator = takeOperator(); operator; operator = takeOperator())
      left = { type: 'BinaryExpression', operator, left, right: parseOperand() };
    return left;
  }

  const operatorOf = (type: Token['type']) => (): Operator | undefined => {
    if (!isNext(type)) return undefined;
    const { value, at } = take(type);
    return { value, at };
  };
  const wordOperator =
    (...words: string[]) =>
    (): Operator | undefined => {
      const { at } = next();
      return skipWords(...words) ? { value: words.join(' '), at } : undefined;
    };
  const takeOr = wordOperator('or');
  const takeAnd = wordOperator('and');
  const takeIn = wordOperator('in');
  const takeNotIn = wordOperator('not', 'in');
  const takeNot = wordOperator('not');
  const takeComparison = operatorOf('ComparisonBinaryOperator');
  const takeSum = operatorOf('AdditiveBinaryOperator');
  const takeProduct = operatorOf('MultiplicativeBinaryOperator');
  const takePower = operatorOf('ExponentiationBinaryOperator');

  const parseOr = () => parseBinary(parseAnd, takeOr);
  const parseAnd = () => parseBinary(parseNot, takeAnd);

  function parseNot(): Expression {
    const operator = takeNot();
    return operator
      ? { type: 'UnaryExpression', operator, argument: parseNot() }
      : parseBinary(parseSum, () => takeNotIn() ?? takeIn() ?? takeComparison());
  }

  const parseSum = () => parseBinary(parseProduct, takeSum);
  const parseProduct = () => parseBinary(parsePower, takeProduct);
  // Left to right too, as in Jinja, not in Python.
  const parsePower = () => parseBinary(parseTest, takePower);

  function parseTest(): Expression {
    let operand = parseFiltered();
    while (skipWords('is')) {
      const negate = skipWords('not');
      operand = {
        type: 'TestExpression',
        operand,
        negate,
        test: takeName('expected the name of a test'),
      };
    }
    return operand;
  }

  function parseFiltered(): Expression {
    let operand = parseSign();
    while (skip('Pipe')) operand = { type: 'FilterExpression', operand, filter: parseFilter() };
    return operand;
  }

  /** A filter's name, or a call of it. */
  function parseFilter(): Expression {
    const name = takeName('expected the name of a filter');
    return isNext('OpenParen') ? parseCall(name) : name;
  }

  function parseSign(): Expression {
    const { type, value, at } = next();
    if (type !== 'UnaryOperator' && !(type === 'AdditiveBinaryOperator' && value !== '~'))
      return parseAfter(parsePrimary());
    take(type);
    return { type: 'UnaryExpression', operator: { value, at }, argument: parseSign() };
  }

  /** The members and calls that come after a value. */
  function parseAfter(value: Expression): Expression {
    let object = value;
    for (;;) {
      if (isNext('OpenParen')) object = parseCall(object);
      else if (skip('Dot'))
        object = { type: 'MemberExpression', object, property: parseField(), computed: false };
      else if (skip('OpenSquareBracket'))
        object = { type: 'MemberExpression', object, property: parseIndex(), computed: true };
      else return object;
    }
  }

  /** `a.b`, or `a.0` as in `a[0]`. */
  function parseField(): Expression {
    return isNext('NumericLiteral') ? numberOf(take('NumericLiteral')) : takeFieldName();
  }

  /** An index, or a slice: `[a]`, `[:b]`, `[a:]`, `[a:b:c]`. */
  function parseIndex(): Expression | Slice {
    const part = () =>
      isNext('Colon') || isNext('CloseSquareBracket') ? undefined : parseExpression();
    if (isNext('CloseSquareBracket')) refuse();
    const start = part();
    if (start && skip('CloseSquareBracket')) return start;
    take('Colon');
    const stop = part();
    const step = skip('Colon') ? part() : undefined;
    take('CloseSquareBracket');
    return {
      type: 'SliceExpression',
      ...(start && { start }),
      ...(stop && { stop }),
      ...(step && { step }),
    };
  }

  const parseCall = (callee: Expression): Call => ({
    type: 'CallExpression',
    callee,
    args: parseArguments(),
  });

  function parseArguments(): Argument[] {
    const args: Argument[] = [];
    parseList('OpenParen', 'CloseParen', () => {
      const token = next();
      const argument = parseArgument();
      if (args.some(({ type }) => type === 'KeywordSpreadExpression'))
        refuse('`**` must be applied to the final argument', token);
      const isNamed =
        argument.type === 'KeywordArgumentExpression' ||
        argument.type === 'KeywordSpreadExpression';
      const isPositional = !isNamed && argument.type !== 'SpreadExpression';
      if (isPositional && args.some(({ type }) => type === 'KeywordArgumentExpression'))
        refuse('positional arguments must come before keyword arguments', token);
      if (!isNamed && args.some(({ type }) => type === 'SpreadExpression'))
        refuse('positional arguments must not follow `*` argument unpacking', token);
      args.push(argument);
    });
    return args;
  }

  function parseArgument(): Argument {
    if (skip('ExponentiationBinaryOperator'))
      return { type: 'KeywordSpreadExpression', argument: parseExpression() };
    if (isNext('MultiplicativeBinaryOperator') && next().value === '*') {
      take('MultiplicativeBinaryOperator');
      return { type: 'SpreadExpression', argument: parseExpression() };
    }
    const argument = parseExpression();
    if (!isNext('Equals')) return argument;
    if (argument.type !== 'Identifier') refuse('expected the name of an argument before it');
    take('Equals');
    return {
      type: 'KeywordArgumentExpression',
      key: argument as Identifier,
      value: parseExpression(),
    };
  }

  /** The parameters of a macro: names, and then names with defaults. */
  function parseParameters(): Parameter[] {
    const parameters: Parameter[] = [];
    const nameOf = (parameter: Parameter) =>
      parameter.type === 'Identifier' ? parameter.value : parameter.key.value;
    parseList('OpenParen', 'CloseParen', () => {
      const token = next();
      const key = takeName('expected the name of a parameter');
      if (parameters.some((other) => nameOf(other) === key.value))
        refuse(`there is a parameter of this name already`, token);
      if (skip('Equals'))
        parameters.push({ type: 'KeywordArgumentExpression', key, value: parseExpression() });
      else if (parameters.some(({ type }) => type === 'KeywordArgumentExpression'))
        refuse('a parameter without a default comes before those with one', token);
      else parameters.push(key);
    });
    return parameters;
  }

  /** Items between brackets, with commas between them and perhaps after the last. */
  function parseList(open: Token['type'], close: Token['type'], parseItem: () => void): void {
    take(open);
    while (!skip(close)) {
      parseItem();
      if (!isNext(close)) take('Comma');
    }
  }

  function parsePrimary(): Expression {
    switch (next().type) {
      case 'NumericLiteral':
        return numberOf(take('NumericLiteral'));
      case 'StringLiteral':
        return parseText();
      case 'OpenParen':
        return parseParentheses();
      case 'OpenSquareBracket': {
        const value: Expression[] = [];
        parseList('OpenSquareBracket', 'CloseSquareBracket', () => value.push(parseExpression()));
        return { type: 'ArrayLiteral', value };
      }
      case 'OpenCurlyBracket': {
        const value = new Map<Expression, Expression>();
        parseList('OpenCurlyBracket', 'CloseCurlyBracket', () => {
          const key = parseExpression();
          take('Colon', 'expected a colon between key and value');
          value.set(key, parseExpression());
        });
        return { type: 'ObjectLiteral', value };
      }
      default:
        return takeName();
    }
  }

  /** Texts beside each other are one. */
  function parseText(): Expression {
    let value = '';
    while (isNext('StringLiteral')) value += take('StringLiteral').value;
    return { type: 'StringLiteral', value };
  }

  /** An expression in parentheses, or a tuple: `()`, `(a,)`, `(a, b)`. */
  function parseParentheses(): Expression {
    const value: Expression[] = [];
    let hasComma = false;
    take('OpenParen');
    while (!skip('CloseParen')) {
      value.push(parseExpression());
      if (isNext('CloseParen')) continue;
      take('Comma');
      hasComma = true;
    }
    return value.length === 1 && !hasComma ? value[0]! : { type: 'TupleLiteral', value };
  }

  /** Values with commas between them, without parentheses. */
  function parseSequence(parseItem: () => Expression): Expression {
    const first = parseItem();
    if (!isNext('Comma')) return first;
    const value = [first];
    while (skip('Comma')) value.push(parseItem());
    return { type: 'TupleLiteral', value };
  }

  return {
    parseExpression,
    parsePrimary,
    parseFilter,
    parseArguments,
    parseParameters,
    parseSequence,
  };
}

const numberOf = ({ value }: Token): Expression => ({
  type: value.includes('.') ? 'FloatLiteral' : 'IntegerLiteral',
  value: Number(value),
});
