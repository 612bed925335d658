/**
 * Says whether a licence expression of SPDX (annex D of its specification) can be kept with these
 * licences alone: one side of an OR, both of an AND. A licence WITH an exception is one of its own.
 * Operators are in upper or in lower case.
 */
export function isAllowed(expression: string, allowed: readonly string[]): boolean {
  const tokens = (expression.match(/[()]|[^\s()]+/g) ?? []).map((token) =>
    ['and', 'or', 'with'].includes(token) ? token.toUpperCase() : token,
  );
  let next = 0;
  const isComplete = either();
  return isComplete && next === tokens.length;

  function either(): boolean {
    let isKept = both();
    while (tokens[next] === 'OR') {
      next++;
      isKept = both() || isKept;
    }
    return isKept;
  }

  function both(): boolean {
    let isKept = licence();
    while (tokens[next] === 'AND') {
      next++;
      isKept = licence() && isKept;
    }
    return isKept;
  }

  function licence(): boolean {
    const token = tokens[next++];
    if (token === '(') {
      const isKept = either();
      return tokens[next++] === ')' && isKept;
    }
    if (tokens[next] !== 'WITH') return allowed.includes(token ?? '');
    next += 2;
    return allowed.includes(`${token} WITH ${tokens[next - 1]}`);
  }
}
