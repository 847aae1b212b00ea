import { type Section, sectionOf } from './message/slack-blocks.ts';
import { slackBudget } from './message/slack-budget.ts';

/** UTF-16 units of all lines: the rest of the budget is for what surrounds them. */
const linesAtMost = 7_000;

/** Cut, its markup or an entity of it would be open. */
const tooLong = '_A line that is too long for Slack: see the status page._';

/** Lines of escaped mrkdwn as sections in which nothing becomes a link or a mention by itself. What does not fit is
 *  left out in whole lines, and said. */
export function slackSections(text: string): readonly Section[] {
  const sections: string[] = [];
  let size = 0;
  const lines = text.split('\n').map((line) => (line.length > slackBudget.section ? tooLong : line));
  for (const [index, line] of lines.entries()) {
    size += line.length + 1;
    if (size > linesAtMost) {
      sections.push(`_${lines.length - index} more lines: see the status page._`);
      break;
    }
    const last = sections.at(-1);
    if (last === undefined || last.length + line.length + 1 > slackBudget.section) sections.push(line);
    else sections[sections.length - 1] = `${last}\n${line}`;
  }
  return sections.filter((each) => each !== '').map(sectionOf);
}

/** UTF-16 units of what a notification shows. */
const fallbackAtMost = 150;

/** The beginning of escaped mrkdwn, for where no blocks are shown. No entity is cut. */
export function slackFallback(text: string): string {
  if (text.length <= fallbackAtMost) return text;
  return `${text
    .slice(0, fallbackAtMost)
    .toWellFormed()
    .replace(/&[a-z]{0,4}$/, '')}…`;
}
