/** Colours that are told apart on white by people who do not see all of them. */
export const colours = {
  ink: '#1f2933',
  quiet: '#66727f',
  line: '#d5dbe1',
  main: '#2563a8',
  other: '#c2571a',
  third: '#3f7d4e',
};

const size = { width: 640, height: 300 };

/** A picture on white, so that it can be read on a page of any colour. */
export const picture = (
  title: string,
  parts: string[],
): string => `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${size.width} ${size.height}" role="img" font-family="system-ui, sans-serif" font-size="13">
<title>${escaped(title)}</title>
<rect width="${size.width}" height="${size.height}" rx="8" fill="#fff"/>
${parts.join('\n')}
</svg>
`;

interface TextStyle {
  anchor?: 'start' | 'middle' | 'end';
  colour?: string;
  isBold?: boolean;
}

export const text = (
  x: number,
  y: number,
  content: string,
  { anchor = 'start', colour = colours.ink, isBold = false }: TextStyle = {},
): string =>
  `<text x="${shortened(x)}" y="${shortened(y)}" fill="${colour}" text-anchor="${anchor}"${isBold ? ' font-weight="600"' : ''}>${escaped(content)}</text>`;

export const line = (
  from: [x: number, y: number],
  to: [x: number, y: number],
  { colour = colours.line, width = 1, isDashed = false } = {},
): string =>
  `<line x1="${shortened(from[0])}" y1="${shortened(from[1])}" x2="${shortened(to[0])}" y2="${shortened(to[1])}" stroke="${colour}" stroke-width="${width}"${isDashed ? ' stroke-dasharray="4 4"' : ''}/>`;

export const bar = (
  x: number,
  y: number,
  { width, height, colour }: { width: number; height: number; colour: string },
): string =>
  `<rect x="${shortened(x)}" y="${shortened(y)}" width="${shortened(width)}" height="${shortened(height)}" fill="${colour}"/>`;

export const dot = (x: number, y: number, colour: string): string =>
  `<circle cx="${shortened(x)}" cy="${shortened(y)}" r="4" fill="${colour}"/>`;

export const curve = (points: [x: number, y: number][], colour: string): string =>
  `<polyline points="${points.map(([x, y]) => `${shortened(x)},${shortened(y)}`).join(' ')}" fill="none" stroke="${colour}" stroke-width="2.5"/>`;

const shortened = (value: number): string => String(Number(value.toFixed(1)));

const escaped = (content: string): string =>
  content.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
