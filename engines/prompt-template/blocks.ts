import type { Fault } from './fault.ts';
import type { Token } from './lexer.ts';
import { templateLimits } from './limits.ts';

/** Tags that hold others until their `end…`, with the tags that may divide them. */
const blocks: Record<string, readonly string[]> = {
  if: ['elif', 'else'],
  for: ['else'],
  macro: [],
  call: [],
  filter: [],
  set: [],
};
const loopTags = new Set(['break', 'continue']);
const dividers = new Set(['elif', 'else']);
const known = [...Object.keys(blocks), ...loopTags].join(', ');

interface Block {
  name: string;
  at: number;
  hasElse: boolean;
  levels: number;
}

/** Whether every block is closed, in its order, by its own tag, and none is nested too deep. */
export function checkBlocks(tokens: Token[]): Fault | undefined {
  const open: Block[] = [];
  for (const [index, token] of tokens.entries()) {
    const fault = token.type === 'OpenStatement' ? enter(open, tokens, index) : undefined;
    if (fault) return fault;
  }
  const innermost = open.at(-1);
  return innermost && unclosed(innermost);
}

function enter(open: Block[], tokens: Token[], index: number): Fault | undefined {
  const { at } = tokens[index]!;
  const tag = tokens[index + 1]!;
  const name = tag.value;
  if (tag.type !== 'Identifier')
    return { at: tag.at, message: `needs the name of a tag here: ${known}` };
  if (Object.hasOwn(blocks, name))
    return name === 'set' && isAssignment(tokens, index) ? undefined : begin(open, name, at);
  if (dividers.has(name)) return divide(open.at(-1), name, { at: tag.at, depth: depthOf(open) });
  if (loopTags.has(name))
    return open.some((block) => block.name === 'for')
      ? undefined
      : { at: tag.at, message: `has \`${name}\` outside a loop` };
  const ended = name.startsWith('end') ? name.slice(3) : '';
  if (Object.hasOwn(blocks, ended)) return end(open, ended, tag.at);
  return { at: tag.at, message: `has the unknown tag \`${name}\`; there are ${known}` };
}

function begin(open: Block[], name: string, at: number): Fault | undefined {
  if (depthOf(open) >= templateLimits.blockDepthMax) return tooDeep(at);
  open.push({ name, at, hasElse: false, levels: 1 });
  return undefined;
}

function divide(
  block: Block | undefined,
  name: string,
  { at, depth }: { at: number; depth: number },
): Fault | undefined {
  if (!block || !blocks[block.name]!.includes(name))
    return {
      at,
      message: `has \`${name}\` outside ${name === 'elif' ? 'an `if`' : 'an `if` or `for`'}`,
    };
  if (block.hasElse)
    return { at, message: `has \`${name}\` after the \`else\` of its \`${block.name}\`` };
  if (name === 'else') block.hasElse = true;
  else if (depth >= templateLimits.blockDepthMax) return tooDeep(at);
  else block.levels++;
  return undefined;
}

function end(open: Block[], name: string, at: number): Fault | undefined {
  const block = open.pop();
  if (block?.name === name) return undefined;
  return block && open.some((outer) => outer.name === name)
    ? unclosed(block)
    : { at, message: `has \`{% end${name} %}\` without its \`{% ${name} %}\`` };
}

/** `{% set a = 1 %}` ends by itself, `{% set a %}` is ended by `{% endset %}`. */
function isAssignment(tokens: Token[], index: number): boolean {
  for (let at = index; tokens[at]!.type !== 'CloseStatement'; at++) {
    if (tokens[at]!.type === 'Equals' && tokens[at]!.depth === 0) return true;
  }
  return false;
}

const depthOf = (open: Block[]): number => open.reduce((sum, { levels }) => sum + levels, 0);

const unclosed = ({ name, at }: Block): Fault => ({
  at,
  message: `has \`{% ${name} %}\` without its \`{% end${name} %}\``,
});

const tooDeep = (at: number): Fault => ({
  at,
  message: `is nested deeper than ${templateLimits.blockDepthMax} blocks here`,
});
