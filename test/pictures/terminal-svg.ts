import { escapeHtml } from '../../functions/core/text/escape-html.ts';

/** Pixels of one character and of one line, in the fonts below. */
const cell = { width: 8.2, height: 18 } as const;
const margin = 16;

/** A picture of a terminal: the command, and below it what it printed. Text stays text, to be found and copied. */
export function terminalSvg(command: string, output: string): string {
  const lines = output.trimEnd().split('\n');
  const typed = `$ ${command}`;
  const columns = Math.max(typed.length, ...lines.map((line) => line.length));
  const width = Math.ceil(columns * cell.width) + 2 * margin;
  const height = (lines.length + 1) * cell.height + 2 * margin;
  const rows = [`<tspan fill="#7ee787">${escapeHtml(typed)}</tspan>`, ...lines.map(escapeHtml)].map(
    (line, index) => `<text x="${margin}" y="${margin + 13 + index * cell.height}">${line}</text>`,
  );
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img">
<title>${escapeHtml(typed)}</title>
<style>text{white-space:pre}</style>
<rect width="${width}" height="${height}" rx="8" fill="#0d1117"/>
<g font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace" font-size="13.5" fill="#e6edf3">
${rows.join('\n')}
</g>
</svg>
`;
}
