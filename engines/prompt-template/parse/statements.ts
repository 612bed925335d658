import type { Identifier, Statement } from '../tree.ts';
import { createExpressionParser } from './expressions.ts';
import type { TokenReader } from './token-reader.ts';

/** Parses texts, comments and tags, with the statements inside of blocks. */
export function createStatementParser(reader: TokenReader) {
  const { next, isNext, isTag, refuse, take, skip, skipWords, takeName } = reader;
  const { parseExpression, parsePrimary, parseFilter, parseSequence, ...parser } =
    createExpressionParser(reader);

  function parseAll(): Statement[] {
    const statements: Statement[] = [];
    while (!reader.isAtEnd()) statements.push(parseStatement());
    return statements;
  }

  function parseStatement(): Statement {
    if (isNext('Text')) return { type: 'StringLiteral', value: take('Text').value };
    if (skip('Comment')) return { type: 'Comment' };
    if (skip('OpenExpression')) {
      const expression = parseExpression();
      take('CloseExpression');
      return expression;
    }
    take('OpenStatement');
    return parseTag();
  }

  function parseTag(): Statement {
    const { value: name } = take('Identifier');
    switch (name) {
      case 'set':
        return parseSet();
      case 'if':
        return parseIf();
      case 'for':
        return parseFor();
      case 'macro': {
        const macro = takeName('expected the name of a macro');
        const args = parser.parseParameters();
        return { type: 'Macro', name: macro, args, body: parseBlock('endmacro') };
      }
      case 'call':
        return parseCallBlock();
      case 'filter':
        return { type: 'FilterStatement', filter: parseFilter(), body: parseBlock('endfilter') };
      default:
        take('CloseStatement');
        return { type: name === 'break' ? 'Break' : 'Continue' };
    }
  }

  /** The statements up to one of these tags. */
  function parseBody(...ends: string[]): Statement[] {
    take('CloseStatement');
    const body: Statement[] = [];
    while (!isTag(...ends)) body.push(parseStatement());
    return body;
  }

  function takeEnd(name: string): void {
    take('OpenStatement');
    if (!skipWords(name)) refuse();
    take('CloseStatement');
  }

  function parseBlock(end: string): Statement[] {
    const body = parseBody(end);
    takeEnd(end);
    return body;
  }

  /** `{% set a = 1 %}`, or the text up to `{% endset %}`. */
  function parseSet(): Statement {
    const assignee = parseSequence(parseExpression);
    if (!skip('Equals')) return { type: 'Set', assignee, value: null, body: parseBlock('endset') };
    const value = parseSequence(parseExpression);
    take('CloseStatement');
    return { type: 'Set', assignee, value, body: [] };
  }

  function parseIf(): Statement {
    const test = parseExpression();
    const body = parseBody('elif', 'else', 'endif');
    if (isTag('elif')) {
      take('OpenStatement');
      take('Identifier');
      return { type: 'If', test, body, alternate: [parseIf()] };
    }
    const alternate = parseElse('endif');
    takeEnd('endif');
    return { type: 'If', test, body, alternate };
  }

  function parseElse(end: string): Statement[] {
    if (!isTag('else')) return [];
    take('OpenStatement');
    take('Identifier');
    return parseBody(end);
  }

  function parseFor(): Statement {
    const token = next();
    const loopvar = parseSequence(parsePrimary);
    if (loopvar.type !== 'Identifier' && loopvar.type !== 'TupleLiteral')
      refuse('expected the name of a variable, or several in parentheses', token);
    if (!skipWords('in')) refuse('expected `in` after the variable of the loop');
    const iterable = parseExpression();
    const body = parseBody('endfor', 'else');
    const defaultBlock = parseElse('endfor');
    takeEnd('endfor');
    return { type: 'For', loopvar, iterable, body, defaultBlock };
  }

  /** `{% call name(…) %}`, or with parameters for the macro's `caller`: `{% call(a, b) name(…) %}`. */
  function parseCallBlock(): Statement {
    const callerArgs = isNext('OpenParen') ? parser.parseParameters() : null;
    const callee: Identifier = takeName('expected the name of a macro');
    const args = parser.parseArguments();
    const body = parseBlock('endcall');
    return {
      type: 'CallStatement',
      call: { type: 'CallExpression', callee, args },
      callerArgs,
      body,
    };
  }

  return { parseAll };
}
