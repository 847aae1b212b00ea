import { type Cause, type CauseFamily, catalogue } from '../../core/diagnose/catalogue.ts';
import { anchorOf } from '../../core/diagnose/cause-titles.ts';
import { type Html, html, styleElement, textOf } from '../html.ts';
import { style } from './style.ts';

/** Every cause of this version under the anchor that messages link to. Contains nothing of any cluster. */
export function renderCauses(): string {
  return textOf(html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex">
<title>Causes – Poolkeeper</title>
${styleElement(style)}
</head>
<body>
<main>
<h1>What the findings mean</h1>
${catalogue.map(family)}
</main>
</body>
</html>
`);
}

function family({ name, about, causes }: CauseFamily): Html {
  return html`<section><h2>${name}</h2>
<p>${about}</p>
${causes.map(entry)}
</section>
`;
}

function entry({ code, title, meaning, knownBy, remedy, notFor }: Cause): Html {
  return html`<article class="card" id="${anchorOf(code)}"><h3><code>${code}</code> ${title}</h3>
<p>${meaning}</p>
<p><b>Do</b> ${remedy}</p>${line('Not where', notFor)}${line('Known by', knownBy)}</article>
`;
}

function line(name: string, text: string | undefined): Html | undefined {
  return text === undefined ? undefined : html`\n<p><b>${name}</b> ${text}</p>`;
}
