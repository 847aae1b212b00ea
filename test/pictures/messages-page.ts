import { causeOf } from '../../functions/core/diagnose/catalogue.ts';
import { anchorOf } from '../../functions/core/diagnose/cause-titles.ts';
import { scenes } from './scenes.ts';

/** `docs/messages.md`. */
export function messagesPage(): string {
  const intro = `# Messages

What people read at three in the morning, for the ten most frequent causes, and when a change waits for their approval. Each picture shows one message at the width of a phone, light and dark:
first as Slack shows it (an imitation of Slack's blocks), then as mail (the HTML part, in Chromium). No text is written for the picture: a small cluster
in the state named in the heading is read, judged and rendered by the product itself (\`test/pictures/\`).

Every message says in this order: what and where, why, what to do with command and undo, the facts, the chain of causes, and how sure it is.
[causes.md](causes.md) explains what each cause means and how it is known.

\`npm run pictures\` draws them again (needs Chromium; \`CHROMIUM\` names the program if it is not \`chromium\`).
`;
  return [intro, ...scenes.map(entry)].join('\n');
}

function entry({ name, code, title }: (typeof scenes)[number]): string {
  const cause = causeOf(code);
  return `## ${title}

[${code}](causes.md#${anchorOf(code)}): ${cause?.title ?? ''}

![Slack message: ${title}](pictures/messages/${name}-slack.png)

![Mail: ${title}](pictures/messages/${name}-mail.png)
`;
}
