import { escapeHtml } from '../core/text/escape-html.ts';
import { clean } from '../core/text/safe-text.ts';

/** The only place where text becomes markup. Whatever stands in `${}` of an html`...` template is cleaned (control
 *  characters, marks that turn the reading direction) and escaped for text and quoted attributes, unless it was made
 *  by such a template itself. Nothing that was parsed from JSON can pretend to be markup: the key is a symbol of
 *  this module. */

const markup = Symbol('markup');

export interface Html {
  readonly [markup]: string;
}

export type HtmlPart = Html | string | number | undefined | false | readonly HtmlPart[];

/** Markup of our own with every value in it made safe. Nothing stands for undefined and false; lists are joined. */
export function html(pieces: TemplateStringsArray, ...values: readonly HtmlPart[]): Html {
  const text = pieces.reduce((before, piece, index) => `${before}${safe(values[index - 1])}${piece}`);
  return { [markup]: text };
}

/** A style element; `css` is ours and must hold no `<`. */
export function styleElement(css: string): Html {
  if (css.includes('<')) throw new TypeError('a style sheet of ours holds <');
  return { [markup]: `<style>${css}</style>` };
}

/** The whole as text. */
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
