import { anchorOf, causeOf } from '../../functions/core/diagnose/catalogue.ts';
import { scenes } from './scenes.ts';

/** `docs/messages.md`. */
export function messagesPage(): string {
  const intro = `# Messages

What people read at three in the morning, for the ten causes they meet most. Each picture shows one message at the width of a phone, light and dark:
first as Slack shows it (a look-alike of Slack's blocks), then as mail (the HTML part, in Chromium). Nothing in them is written for the picture: a small cluster
in the state named above it is read by the product's own rules, judged, and rendered (\`test/pictures/\`).

Every message answers in this order: what and where, why, what to do with command and undo, the facts, how the cause was reached, and how sure it is. What each
cause means and how it is known stands in [causes.md](causes.md).

\`npm run pictures\` draws them again (needs Chromium; \`CHROMIUM\` names another program than \`chromium\`).
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
