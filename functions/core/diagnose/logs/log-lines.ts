import { maskLine } from '../../machine-config/mask.ts';
import { clipped } from '../../text/phrases.ts';

/** What is attached of one log. Lines of at most so many characters, after what may be secret is gone. */
const logBounds = { lines: 5, lineLength: 300 };

/** A line as klog writes it: severity, month and day, time, process, place. Whatever has no such head is the rest of
 *  a message of several lines: differences of files, stacks. It is left out, because it is what files hold. Source:
 *  k8s.io/klog header format. */
const head =
  /^(?:\d{4}-\d\d-\d\dT[\d:.]+Z )?(?<severity>[IWEF])(?<date>\d{4}) (?<time>\d\d:\d\d:\d\d)(?:\.\d+)? +\d+ (?<place>[\w.-]+:\d+)\] (?<text>.*)$/;

/** Messages that carry what files hold behind them. */
const withContent = /\(-want \+got\).*|\bdiff(?:erence)?s?:.*/i;

const telling =
  /error|fail|degrad|cannot|could not|refus|denied|mismatch|unexpected|timed? ?out|rollback|rolling back|rebooting/i;

/** Begins a message. */
export function isLogHead(line: string): boolean {
  return head.test(line);
}

/** The lines of a log that report a failure, newest last: warnings, errors, and lines with a word for one. Without any,
 *  the last lines.
 *  @param about only lines with this word, for a log about many nodes */
export function tellingLines(log: string, about?: string): readonly string[] {
  const lines = log.split('\n').flatMap((line) => {
    const { severity = '', time = '', text = '' } = head.exec(line)?.groups ?? {};
    return text === '' ? [] : [{ severity, time, text }];
  });
  const fitting = about === undefined ? lines : lines.filter(({ text }) => text.includes(about));
  const worth = fitting.filter(({ severity, text }) => severity !== 'I' || telling.test(text));
  const chosen = withoutRepeats(worth.length > 0 ? worth : fitting);
  return chosen.slice(-logBounds.lines).map(({ severity, time, text }) => `${severity} ${time} ${safe(text)}`);
}

/** A retry says the same each minute: the last time counts. */
function withoutRepeats<T extends { readonly text: string }>(lines: readonly T[]): readonly T[] {
  const last = new Map(lines.map((line, index) => [line.text, index]));
  return lines.filter(({ text }, index) => last.get(text) === index);
}

function safe(text: string): string {
  return clipped(maskLine(text.replace(withContent, '(what differs is left out)')), logBounds.lineLength);
}
