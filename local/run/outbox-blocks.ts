import type { Block, RichText, SlackForm } from '../../functions/core/alerts/message.ts';
import { type Html, html } from '../../functions/status/html.ts';

/** A message in Slack as markup: what people read, without Slack's looks. */
export function slackBlocks({ text, blocks }: SlackForm): readonly Html[] {
  return blocks.length === 0 ? [html`<p>${mrkdwn(text)}</p>`] : blocks.map(blockOf);
}

function blockOf(block: Block): Html {
  switch (block.type) {
    case 'header':
      return html`<h3>${block.text.text}</h3>`;
    case 'section':
      return html`${block.text !== undefined && html`<p>${lines(block.text.text)}</p>`}${
        block.fields !== undefined && html`<dl class="facts">${block.fields.map(({ text }) => fieldOf(text))}</dl>`
      }${block.accessory !== undefined && html`<p>${buttonOf(block.accessory.text.text)}</p>`}`;
    case 'context':
      return html`<p class="mute">${block.elements.map(({ text }) => html`${lines(text)} `)}</p>`;
    case 'actions':
      return html`<p class="pills">${block.elements.map((element) => buttonOf(element.type === 'button' ? element.text.text : `${element.placeholder.text} ▾`))}</p>`;
    case 'rich_text':
      return richText(block);
    default:
      return block satisfies never;
  }
}

/** The first line is its label. */
function fieldOf(text: string): Html {
  const [label = '', ...values] = text.split('\n');
  return html`<div><dt>${plain(label.replaceAll('*', ''))}</dt><dd>${mrkdwn(values.join(' '))}</dd></div>`;
}

function buttonOf(label: string): Html {
  return html`<span class="pill info">${label}</span>`;
}

function richText({ elements }: RichText): Html {
  return html`${elements.map((element) => {
    switch (element.type) {
      case 'rich_text_section':
        return html`<h4>${element.elements.map(({ text }) => text).join('')}</h4>`;
      case 'rich_text_list':
        return html`<ol class="chain">${element.elements.map((item) => html`<li>${item.elements.map(({ text }) => text).join('')}</li>`)}</ol>`;
      case 'rich_text_preformatted':
        return html`<pre tabindex="0"><code>${element.elements.map(({ text }) => text).join('')}</code></pre>`;
      default:
        return element satisfies never;
    }
  })}`;
}

function lines(text: string): readonly Html[] {
  return text.split('\n').map((line, index) => html`${index > 0 && html`<br>`}${mrkdwn(line)}`);
}

/** Bold, italics of a whole line, code, links and dates: what our messages have of Slack's markup. */
function mrkdwn(text: string): readonly (Html | string)[] {
  if (/^_[^_]{1,500}_$/.test(text)) return [html`<i>${plain(text.slice(1, -1))}</i>`];
  const parts = text.split(/(\*[^*\n]{1,500}\*|`[^`\n]{1,1000}`|<[^<>|\n]{1,2000}\|[^<>\n]{0,500}>)/);
  return parts.map((part, index) => (index % 2 === 0 ? plain(part) : marked(part)));
}

function marked(part: string): Html | string {
  const inside = part.slice(1, -1);
  if (part.startsWith('*')) return html`<b>${mrkdwn(inside)}</b>`;
  if (part.startsWith('`')) return html`<code>${plain(inside)}</code>`;
  const [target = '', label = ''] = inside.split('|');
  return /^https?:\/\//.test(target)
    ? html`<a href="${plain(target)}" rel="noreferrer">${plain(label)}</a>`
    : plain(label);
}

function plain(text: string): string {
  return text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&');
}
