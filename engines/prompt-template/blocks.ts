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

/** Every block that is not closed, in its order, by its own tag, or is nested too deep. */
export function checkBlocks(tokens: Token[]): Fault[] {
  const open: Block[] = [];
  const faults: Fault[] = [];
  for (const [index, { type, at }] of tokens.entries()) {
    if (type !== 'OpenStatement') continue;
    faults.push(...enter(open, tokens, index));
    if (depthOf(open) > templateLimits.blockDepthMax) return [...faults, tooDeep(at)];
  }
  return [...faults, ...open.map(unclosed)];
}

function enter(open: Block[], tokens: Token[], index: number): Fault[] {
  const tag = tokens[index + 1]!;
  const { value: name, at } = tag;
  const unknown = checkTagName(tag);
  if (unknown) return [unknown];
  if (beginsBlock(tokens, index))
    open.push({ name, at: tokens[index]!.at, hasElse: false, levels: 1 });
  else if (dividers.has(name)) return divide(open.at(-1), name, at);
  else if (loopTags.has(name) && !open.some((block) => block.name === 'for'))
    return [{ at, message: `has \`${name}\` outside a loop` }];
  else if (endOf(name)) return end(open, endOf(name)!, at);
  return [];
}

/** The fault of a tag whose name no tag has. */
export function checkTagName({ type, value: name, at }: Token): Fault | undefined {
  if (type !== 'Identifier') return { at, message: `needs the name of a tag here: ${known}` };
  if (Object.hasOwn(blocks, name) || dividers.has(name) || loopTags.has(name) || endOf(name))
    return undefined;
  return { at, message: `has the unknown tag \`${name}\`; there are ${known}` };
}

/** Whether the tag that opens here holds others until its `end…`. */
export function beginsBlock(tokens: Token[], index: number): boolean {
  const name = tokens[index + 1]!.value;
  return Object.hasOwn(blocks, name) && (name !== 'set' || !isAssignment(tokens, index));
}

/** The name of the block that a tag `end…` closes. */
function endOf(name: string): string | undefined {
  const ended = name.startsWith('end') ? name.slice(3) : '';
  return Object.hasOwn(blocks, ended) ? ended : undefined;
}

function divide(block: Block | undefined, name: string, at: number): Fault[] {
  if (!block || !blocks[block.name]!.includes(name)) {
    const place = name === 'elif' ? 'an `if`' : 'an `if` or `for`';
    return [{ at, message: `has \`${name}\` outside ${place}` }];
  }
  if (block.hasElse)
    return [{ at, message: `has \`${name}\` after the \`else\` of its \`${block.name}\`` }];
  if (name === 'else') block.hasElse = true;
  else block.levels++;
  return [];
}

/** Closes the innermost block of this name, and those inside of it, which lack their own ends. */
function end(open: Block[], name: string, at: number): Fault[] {
  const closed = open.findLastIndex((block) => block.name === name);
  if (closed >= 0) return open.splice(closed).slice(1).map(unclosed);
  // The tag was meant to close what is open.
  open.pop();
  return [{ at, message: `has \`{% end${name} %}\` without its \`{% ${name} %}\`` }];
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
