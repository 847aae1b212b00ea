import { code } from './markdown.ts';
import { affectedPoolNames, type Preview } from './preview.ts';
import { previewMarkdown } from './preview-markdown.ts';

/** First line of the comment, by which it is found again. Nobody sees it. */
export const commentMarker = '<!-- poolkeeper/impact -->';

/** The comment on a pull request. */
export function commentText(preview: Preview): string {
  return `${commentMarker}\n\n${previewMarkdown(preview, { foot: footOf(preview) })}`;
}

function footOf({ state, isNamed }: Preview): string {
  const names = isNamed ? '' : ' Clusters and Applications are counted, not named.';
  return `Of ${code(state.head.slice(0, 9))} into ${code(state.base)}, as the clusters are now; edited in place with every push. Contents of what is not in this repository are not shown.${names}`;
}

/** Whether there is anything to comment on: a pull request that reaches no pool gets a status and no comment. */
export function deservesComment(preview: Preview): boolean {
  const { clusters, outOfSight, beyond } = preview;
  const warned = clusters.some(({ warnings, pools }) => warnings.length > 0 || pools.length > 0);
  return affectedPoolNames(preview).length > 0 || warned || outOfSight.length + beyond > 0;
}
