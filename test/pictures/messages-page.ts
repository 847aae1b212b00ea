import { causeOf } from '../../functions/core/diagnose/catalogue.ts';
import { anchorOf } from '../../functions/core/diagnose/cause-titles.ts';
import { jointScenes } from './joint-scenes.ts';
import { runMessage } from './run-message.ts';
import { scenes } from './scenes.ts';

/** `docs/messages.md`. */
export function messagesPage(): string {
  const intro = `# Messages

The ten most frequent causes, a change that waits for approval, many alerts at once, and nodes in their turns: one message each, at the width of a phone, light and dark, first as Slack shows it (an imitation of its blocks), then as mail (the HTML part, in
Chromium). The product itself reads, judges and renders a small cluster in the state that the heading names.

Every message says in this order: what and where, why, what to do with command and undo, the facts, the chain of causes, and how sure it is. [causes.md](causes.md) explains each cause.

\`npm run pictures\` draws them again (needs Chromium; \`CHROMIUM\` names the program if it is not \`chromium\`).
`;
  return [intro, ...scenes.map(entry), ...jointScenes.map(jointEntry), runEntry()].join('\n');
}

/** Only Slack's messages are joint. */
function jointEntry({ name, title, words }: (typeof jointScenes)[number]): string {
  return `## ${title}

${words} [alerts.md](alerts.md#many-at-once-and-one-cause-on-many-clusters) says when messages are joint.

![Slack message: ${title}](pictures/messages/${name}-slack.png)
`;
}

function runEntry(): string {
  const { name, title, words } = runMessage;
  return `## ${title}

${words} [node-by-node.md](node-by-node.md#seeing-and-steering) says when it is edited.

![Slack message: ${title}](pictures/messages/${name}-slack.png)
`;
}

function entry({ name, code, title }: (typeof scenes)[number]): string {
  const cause = causeOf(code);
  return `## ${title}

[${code}](causes.md#${anchorOf(code)}): ${cause?.title ?? ''}

![Slack message: ${title}](pictures/messages/${name}-slack.png)

![Mail: ${title}](pictures/messages/${name}-mail.png)
`;
}
