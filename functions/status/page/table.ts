import { type Html, type HtmlPart, html } from '../html.ts';

export interface Table {
  /** For screen readers. */
  readonly caption: string;
  /** CSS class of the table, for its column widths and its layout on a phone. */
  readonly kind: string;
  readonly columns: readonly Column[];
  /** Headers that span several columns, in order; together they span all columns. */
  readonly groups?: readonly { readonly head: string; readonly span: number }[];
  readonly rows: readonly Row[];
}

export interface Column {
  readonly head: HtmlPart;
  /** The header as plain text: on a phone it precedes each value. */
  readonly label: string;
  readonly isNumber?: boolean;
}

export interface Row {
  /** The first cell is the row header. */
  readonly cells: readonly HtmlPart[];
  /** Shown below the row, over its whole width. */
  readonly note?: HtmlPart;
}

/** An accessible table. On a phone, CSS turns rows into cards; in some browsers that drops the implicit roles, so they
 *  are written out. */
export function table({ caption, kind, columns, groups, rows }: Table): Html {
  return html`<table role="table" class="${kind}">
<caption class="aside">${caption}</caption>
<colgroup>${columns.map(() => html`<col>`)}</colgroup>
<thead role="rowgroup">${groups !== undefined && groupRow(groups)}<tr role="row">${columns.map(
    ({ head, isNumber }) =>
      html`<th scope="col" role="columnheader"${isNumber === true && html` class="number"`}>${head}</th>`,
  )}</tr></thead>
<tbody role="rowgroup">${rows.map((row) => rowOf(row, columns))}</tbody>
</table>`;
}

function groupRow(groups: NonNullable<Table['groups']>): Html {
  return html`<tr role="row" class="groups">${groups.map(({ head, span }) =>
    head === ''
      ? html`<td role="cell" colspan="${span}"></td>`
      : html`<th scope="colgroup" role="columnheader" colspan="${span}">${head}</th>`,
  )}</tr>`;
}

function rowOf({ cells, note }: Row, columns: readonly Column[]): Html {
  const [first, ...others] = cells;
  const hasNote = note !== undefined && note !== false;
  return html`
<tr role="row"${hasNote && html` class="noted"`}><th scope="row" role="rowheader">${first}</th>${others.map((cell, index) => cellOf(cell, columns[index + 1]))}</tr>${
    hasNote && html`<tr role="row" class="note"><td role="cell" colspan="${columns.length}">${note}</td></tr>`
  }`;
}

function cellOf(cell: HtmlPart, column: Column | undefined): Html {
  return html`<td role="cell" data-label="${column?.label}"${column?.isNumber === true && html` class="number"`}>${cell}</td>`;
}

/** A column with a plain-text header. */
export function column(label: string, isNumber = false): Column {
  return { head: label, label, isNumber };
}
