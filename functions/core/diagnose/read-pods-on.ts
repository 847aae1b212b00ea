import type { Inquiry } from '../findings/inquiry.ts';
import { type PagesRead, readPages } from '../findings/read-pages.ts';
import type { Pod } from './objects/pod.ts';
import { podsOfNodeLimit, podsOn } from './questions.ts';

/** The pods on a node: one call, unless somebody has filled them. Ten of a megabyte are more than one answer may have,
 *  and a node of them must not hide what keeps another's pod on it. */
export function readPodsOn(node: string): Inquiry<PagesRead<Pod>> {
  return readPages({
    each: `pod on ${node}`,
    perPage: podsOfNodeLimit,
    pagesAtMost: 10,
    page: (page) => podsOn(node, page),
  });
}
