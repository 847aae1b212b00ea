import { escapeHtml } from '../core/text/escape-html.ts';
import { clean } from '../core/text/safe-text.ts';

/** The only place where text becomes markup. Every value in `${}` of an html`...` template is cleaned (control
 *  characters, direction marks) and escaped for text and quoted attributes, unless it is itself the result of such a
 *  template. Parsed JSON can never pass as markup: the key is a symbol of this module. */

const markup = Symbol('markup');

export interface Html {
  readonly [markup]: string;
}

export type HtmlPart = Html | string | number | undefined | false | readonly HtmlPart[];

/** Trusted markup with every interpolated value escaped. undefined and false render nothing; lists are joined. */
export function html(pieces: TemplateStringsArray, ...values: readonly HtmlPart[]): Html {
  const text = pieces.reduce((before, piece, index) => `${before}${safe(values[index - 1])}${piece}`);
  return { [markup]: text };
}

/** A style element; `css` is trusted and must not contain `<`. */
export function styleElement(css: string): Html {
  if (css.includes('<')) throw new TypeError('the style sheet contains <');
  return { [markup]: `<style>${css}</style>` };
}

/** A script element; `code` is trusted and must not contain `</`. */
export function scriptElement(code: string): Html {
  if (code.includes('</')) throw new TypeError('the script contains </');
  return { [markup]: `<script>${code}</script>` };
}

/** The markup as text. */
export function textOf(page: Html): string {
  return page[markup];
}

function safe(part: HtmlPart): string {
  if (part === undefined || part === false) return '';
  if (typeof part === 'string' || typeof part === 'number') return escapeHtml(clean(String(part)));
  return isHtml(part) ? part[markup] : part.map(safe).join('');
}

function isHtml(part: Html | readonly HtmlPart[]): part is Html {
  return markup in part;
}
