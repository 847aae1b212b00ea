import { code } from './markdown.ts';
import { doubtsOf, type Preview, reRenderedPools } from './preview.ts';
import { previewMarkdown } from './preview-markdown.ts';

/** First line of the comment, by which it is found again. Not displayed. */
export const commentMarker = '<!-- poolkeeper/impact -->';

/** The comment on a pull request. */
export function commentText(preview: Preview): string {
  return `${commentMarker}\n\n${previewMarkdown(preview, { foot: footOf(preview) })}`;
}

function footOf({ state, isNamed }: Preview): string {
  const names = isNamed ? '' : ' Clusters and Applications are counted, not named.';
  return `For ${code(state.head.slice(0, 9))} into ${code(state.base)}, with the clusters as they are now; updated with every push. Content from outside this repository is not shown.${names}`;
}

/** Whether a comment is needed: a pull request that reaches no pool, and brings nothing that may reach one, gets only
 *  a status. */
export function deservesComment(preview: Preview): boolean {
  const { clusters, outOfSight, beyond } = preview;
  const warned = clusters.some(({ warnings, pools }) => warnings.length > 0 || pools.length > 0);
  const { unjudged, unreadable } = doubtsOf(preview);
  const doubts = outOfSight.length + beyond + unjudged.length + unreadable.length;
  return reRenderedPools(preview).length > 0 || warned || doubts > 0;
}
