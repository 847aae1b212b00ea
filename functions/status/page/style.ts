import { createHash } from 'node:crypto';

/** The style of the page. System fonts, no images; light and dark colours; cards instead of rows on a phone. Every pair
 *  of text and background has a contrast of at least 4.5. */
export const style = `
:root{color-scheme:light dark;
--ground:#f4f5f7;--card:#fff;--ink:#171a1f;--soft:#5a6372;--line:#e2e5ea;--sunk:#f7f8fa;--link:#1a55c4;
--bad:#b3261a;--bad-ground:#fdebe8;--warn:#855200;--warn-ground:#fdf1d8;--good:#146c3c;--good-ground:#e3f4ea;--info:#1a55c4;--info-ground:#e7eefc;--mute-ground:#eceef2;
--paused:#d98a00;--confirmed:#2563eb;--applied:#171a1f;--targeted:#d63a2a;--done:#2f9e62}
@media (prefers-color-scheme:dark){:root{
--ground:#0e1116;--card:#161a21;--ink:#e7eaef;--soft:#9aa4b2;--line:#282e38;--sunk:#11151b;--link:#8ab4ff;
--bad:#ff9a8f;--bad-ground:#3b1714;--warn:#f5c262;--warn-ground:#352509;--good:#7fd8a4;--good-ground:#0f2e1d;--info:#9dbfff;--info-ground:#152544;--mute-ground:#242a33;
--paused:#f0ad33;--confirmed:#6c9dff;--applied:#e7eaef;--targeted:#ff6b5c;--done:#3fb878}}
*{box-sizing:border-box}
html{-webkit-text-size-adjust:100%}
body{margin:0;background:var(--ground);color:var(--ink);font:15px/1.5 Inter,system-ui,-apple-system,"Segoe UI",Roboto,"Helvetica Neue",sans-serif;font-variant-numeric:tabular-nums;overflow-wrap:anywhere}
code,pre{font:12.5px/1.5 ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",monospace}
a{color:var(--link);text-underline-offset:2px}
a:focus-visible,summary:focus-visible,pre:focus-visible,button:focus-visible{outline:2px solid var(--link);outline-offset:2px;border-radius:4px}
h1,h2,h3,h4,h5,p,dl,dd,ul,ol{margin:0;padding:0}
small{display:block;color:var(--soft);font-size:12.5px;font-weight:400}
.mute{color:var(--soft)}
strong.bad,dd.bad{color:var(--bad)}
dd.warn{color:var(--warn)}
.aside{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%);white-space:nowrap}
.skip{position:absolute;left:-999px}
.skip:focus{left:16px;top:8px;z-index:1;background:var(--card);padding:6px 12px}
.banner,main,footer{max-width:1160px;margin:0 auto;padding:0 24px}
.banner{display:flex;flex-wrap:wrap;align-items:center;justify-content:space-between;gap:4px 24px;padding-top:18px}
.brand{display:flex;align-items:center;gap:10px;font-weight:650;letter-spacing:-.01em}
.brand svg{width:26px;height:26px}
.brand-ground{fill:var(--ink)}
.brand-sign{fill:var(--card)}
.brand-wave{fill:none;stroke:var(--card);stroke-width:1.6;stroke-linecap:round}
.asof{display:flex;flex-wrap:wrap;gap:0 14px;color:var(--soft);font-size:13.5px}
.turn,time{white-space:nowrap}
.local{color:var(--soft);font-size:.92em}
.failing{color:var(--bad);font-weight:600}
.copy{display:inline-block;margin:4px 0 0;padding:2px 10px;border:1px solid var(--line);border-radius:6px;background:var(--card);color:var(--link);font:inherit;font-size:12.5px;cursor:pointer}
h1{margin:28px 0 18px;font-size:27px;line-height:1.25;font-weight:680;letter-spacing:-.02em;text-wrap:pretty}
h1::before{content:"";display:inline-block;width:14px;height:14px;margin-right:12px;border-radius:50%;background:var(--done);vertical-align:.12em}
h1.trouble::before,h1.unseen::before{background:var(--targeted)}
h1.holding::before{background:var(--paused)}
h1+p:has(+.card){margin-bottom:14px}
h2{margin:36px 0 12px;font-size:13px;font-weight:650;letter-spacing:.06em;text-transform:uppercase;color:var(--soft)}
h3{font-size:18px;line-height:1.35;font-weight:640;letter-spacing:-.01em}
h4{margin-top:22px;font-size:14px;font-weight:640}
h5{margin-top:14px;font-size:13px;font-weight:600;color:var(--soft)}
.figures{display:grid;grid-template-columns:repeat(6,1fr);background:var(--card);border:1px solid var(--line);border-radius:12px;overflow:hidden}
.figures div{padding:12px 16px;border-left:1px solid var(--line);display:flex;flex-direction:column-reverse;justify-content:flex-end;margin-left:-1px}
.figures dt{color:var(--soft);font-size:13px}
.figures dd{font-size:24px;line-height:1.25;font-weight:640;letter-spacing:-.02em}
.card{background:var(--card);border:1px solid var(--line);border-radius:12px;padding:18px 20px;margin-bottom:14px}
.calm{color:var(--soft)}
.pill{display:inline-block;padding:1px 9px;border-radius:99px;font-size:12.5px;line-height:20px;font-weight:600;background:var(--mute-ground);color:var(--soft)}
.pills{display:flex;flex-wrap:wrap;gap:4px}
.pill.bad{background:var(--bad-ground);color:var(--bad)}
.pill.warn{background:var(--warn-ground);color:var(--warn)}
.pill.good{background:var(--good-ground);color:var(--good)}
.pill.info{background:var(--info-ground);color:var(--info)}
.alarm{margin-top:10px}
.remark{padding:8px 12px;border-radius:8px;background:var(--sunk);color:var(--soft);font-size:13.5px;white-space:pre-line}
.incident{padding-left:24px;position:relative;overflow:hidden}
.incident::before{content:"";position:absolute;left:0;top:0;bottom:0;width:5px;background:var(--line)}
.incident.bad::before{background:var(--targeted)}
.incident.warn::before{background:var(--paused)}
.incident:target,li:target{box-shadow:0 0 0 2px var(--link)}
.incident header{display:flex;flex-wrap:wrap;align-items:center;gap:4px 12px;margin-bottom:8px;font-size:13.5px}
.severity{font-weight:600}
a.number{font-weight:600}
.place{color:var(--soft)}
.for{color:var(--soft);font-size:13.5px;font-weight:400}
.incident header .for{margin-left:auto}
.cause{margin-top:8px;max-width:860px}
.chain{margin:2px 0 0;padding-left:20px;font-size:14px}
.chain li{padding:1px 0}
.steps{list-style:none;font-size:13px}
.incident h4{margin-top:14px}
.remedies{display:grid;gap:8px;margin-top:2px;padding-left:20px;font-size:14px}
.undo{display:block;margin-top:4px;color:var(--soft);font-size:13px}
.remedies .mute{font-size:13px;margin-left:4px}
pre{margin:4px 0 0;padding:8px 12px;border-radius:8px;background:var(--sunk);border:1px solid var(--line);white-space:pre-wrap}
.facts{display:flex;flex-wrap:wrap;gap:10px 32px;margin-top:16px;padding-top:14px;border-top:1px solid var(--line)}
.facts dt{color:var(--soft);font-size:12.5px}
.facts dd{font-size:14px;font-weight:550}
.notified{margin-top:12px;color:var(--soft);font-size:13px}
.incident>details{margin-top:14px}
details>summary{cursor:pointer;font-weight:550}
details[open]>summary{margin-bottom:10px}
.only{margin-top:24px;font-size:14px;color:var(--soft)}
.only+h1{margin-top:8px}
.more ul{list-style:none;display:grid;grid-template-columns:repeat(auto-fill,minmax(300px,1fr));gap:6px 24px;font-size:14px}
.over ul{list-style:none;display:grid;gap:8px;font-size:14px}
.cluster>header,.cluster>summary{display:flex;flex-wrap:wrap;align-items:baseline;gap:2px 16px}
.cluster>summary{list-style:none}
.cluster>summary::before{content:"+";color:var(--soft);width:10px}
.cluster[open]>summary::before{content:"−"}
.sight{margin-left:auto;color:var(--soft);font-size:13.5px}
table{width:100%;border-collapse:collapse;margin-top:12px;font-size:14px}
thead th{padding:6px 10px 6px 0;text-align:left;font-size:12.5px;font-weight:550;color:var(--soft);border-bottom:1px solid var(--line);white-space:nowrap;vertical-align:bottom}
tbody th,tbody td{padding:9px 10px 9px 0;text-align:left;font-weight:400;border-bottom:1px solid var(--line);vertical-align:top}
tbody tr:last-child>*{border-bottom:0}
tbody tr.noted>*{border-bottom:0;padding-bottom:4px}
tbody tr.note td{padding-top:0;padding-right:0}
th.number,td.number{text-align:right;white-space:nowrap}
th:last-child,td:last-child{padding-right:0}
.name{font-weight:600}
.arrow{color:var(--soft)}
@media (min-width:961px){
.pools,.races,.events,.holds,.keys,.underway,.reboots{table-layout:fixed}
.pools col:nth-child(1){width:15%}.pools col:nth-child(2){width:19%}.pools col:nth-child(3){width:16%}
.races col:nth-child(1){width:17.5%}.races col:nth-child(2){width:20%}.races col:nth-child(3){width:18.5%}.races col:nth-child(5){width:9.5%}.races col:nth-child(8){width:11.5%}
.holds col:nth-child(1){width:30%}.holds col:nth-child(2){width:34%}
.underway col:nth-child(1){width:15%}.underway col:nth-child(2){width:17%}.underway col:nth-child(3){width:13%}.underway col:nth-child(5){width:27%}.reboots col:nth-child(1){width:14%}.reboots col:nth-child(2){width:18%}.reboots col:nth-child(3){width:18%}.reboots col:nth-child(4){width:10%}
.events col:nth-child(1){width:13%}.events col:nth-child(2){width:10%}.events col:nth-child(3){width:19%}
.keys col:nth-child(1){width:36%}.keys col:nth-child(2){width:24%}
}
.groups>*{padding:0 0 4px;line-height:1}
.groups td{border:0}
.pools thead th.number:nth-child(7){padding-left:10px}
.groups th{text-align:center;font-size:11.5px}
.bar{display:block;width:110px;height:5px;margin-top:6px;border-radius:3px;overflow:hidden}
.bar-rest{fill:var(--mute-ground)}
.bar-done{fill:var(--done)}
.bar-bad{fill:var(--targeted)}
.pause{margin-top:16px;padding:14px 16px;border-radius:10px;background:var(--sunk);border:1px solid var(--line)}
.pause h4{margin:0 0 6px;display:flex;flex-wrap:wrap;align-items:center;gap:4px 10px;font-size:15px}
.pause p{font-size:14px}
.pause p+p{margin-top:6px}
.pause table{margin-top:8px}
.pause table+p,.pause table+h5{margin-top:10px}
.cost{display:grid;gap:6px;margin-top:8px;font-size:14px}
.cost div{display:grid;grid-template-columns:112px 1fr;gap:0 12px}
.cost dt{color:var(--soft)}
.cost ul{list-style:none;display:grid;gap:4px}
.gates + p{margin-top:12px}
.gates{list-style:none;display:grid;gap:8px;margin-top:6px;font-size:14px}
.gates li{display:grid;grid-template-columns:132px 1fr;gap:0 12px}
.gate{font-weight:600}
.mark{display:inline-block;width:9px;height:9px;margin-right:6px;border-radius:50%;background:var(--soft)}
.mark.paused{background:var(--paused)}.mark.confirmed{background:var(--confirmed)}.mark.applied{background:var(--applied)}.mark.targeted{background:var(--targeted)}
.course{display:block;width:120px;height:16px;margin:3px 0 0 auto}
.course-line{stroke:var(--line);stroke-width:2;fill:none}
.dot{stroke:var(--card);stroke-width:1.5}
.dot.paused{fill:var(--paused)}.dot.confirmed{fill:var(--confirmed)}.dot.applied{fill:var(--applied)}.dot.targeted{fill:var(--targeted)}
.timeline{padding:6px 20px}
.timeline table{margin:0}
.timeline tbody th{color:var(--soft)}
.timeline tbody th,.timeline tbody td{padding-top:6px;padding-bottom:6px}
.timeline time{white-space:normal}
.keys tbody th,.keys tbody td{padding-top:5px;padding-bottom:5px}
.dot-tag::before{content:"";display:inline-block;width:8px;height:8px;margin-right:8px;border-radius:50%;background:var(--line);vertical-align:.08em}
.dot-tag.bad::before{background:var(--targeted)}.dot-tag.warn::before{background:var(--paused)}.dot-tag.good::before{background:var(--done)}
footer{padding-top:10px;padding-bottom:40px;color:var(--soft);font-size:13.5px}
.sequence>header,.sequence>summary{display:flex;flex-wrap:wrap;align-items:baseline;gap:4px 12px}
.sequence>summary{list-style:none}
.sequence>summary::before{content:"+";color:var(--soft);width:10px}
.sequence[open]>summary::before{content:"−"}
.sequence h3 a{color:inherit;text-decoration:none}
.sequence h3 a:hover{text-decoration:underline}
.sequence:target{box-shadow:0 0 0 2px var(--link)}
.problems{list-style:none;display:grid;gap:6px;margin-top:12px;padding:10px 12px;border-radius:8px;background:var(--sunk);font-size:14px}
.pipeline{overflow-x:auto;margin:14px -20px 0;padding:2px 20px 10px}
.pipeline:focus-visible{outline:2px solid var(--link);outline-offset:-2px;border-radius:4px}
.pipeline>ol{display:flex;gap:24px;list-style:none}
.stage{position:relative;flex:1 0 250px;max-width:344px;min-width:0}
.stage+.stage::before{content:"";position:absolute;left:-24px;top:10px;width:24px;height:2px;background:var(--line)}
.stage.past+.stage::before{background:var(--done)}
.stage h4{display:inline-flex;gap:8px;margin:0 0 8px;padding:0 10px;border-radius:99px;background:var(--mute-ground);font-size:13px;line-height:22px}
.stage.past h4{background:var(--good-ground);color:var(--good)}
.stage.now h4{background:var(--info-ground);color:var(--info)}
.stage.trouble h4{background:var(--bad-ground);color:var(--bad)}
.stage h4 .mute{color:inherit;font-weight:400}
.stage>.mute,.held{color:var(--soft);font-size:13px;margin-bottom:8px}
.jobs,.job>ul{list-style:none;display:grid;gap:8px}
.jobs+.jobs,.jobs+details,details+.jobs{margin-top:8px}
.stage details{font-size:13.5px}
.job{padding:10px 12px;border:1px solid var(--line);border-left:3px solid var(--line);border-radius:8px;background:var(--card);font-size:14px}
.job.good{border-left-color:var(--done)}.job.info{border-left-color:var(--confirmed)}.job.warn{border-left-color:var(--paused)}.job.bad{border-left-color:var(--targeted)}
.job-head{display:grid;grid-template-columns:16px 1fr auto;gap:0 8px;align-items:start}
.job-head b{font-weight:600}
.job small{margin-left:24px}
.job>ul{margin-top:8px;padding-top:8px;border-top:1px solid var(--line)}
.job-gate b{font-weight:500}
.word{font-size:12.5px;font-weight:600;line-height:21px;color:var(--soft);text-align:right}
.word.good{color:var(--good)}.word.warn{color:var(--warn)}.word.bad{color:var(--bad)}.word.info{color:var(--info)}
.found,.clock{margin-left:24px;font-size:13px}
.clock{color:var(--soft)}
.sign{width:16px;height:16px;margin-top:3px;fill:none;stroke:var(--soft);stroke-width:1.6;stroke-linecap:round;stroke-linejoin:round}
.sign.good{stroke:var(--good)}.sign.warn{stroke:var(--warn)}.sign.bad{stroke:var(--bad)}.sign.info{stroke:var(--info)}
.wait-bar{display:block;width:calc(100% - 24px);height:4px;margin:6px 0 0 24px;border-radius:2px}
.bar-wait{fill:var(--confirmed)}
.sequence>details{margin-top:8px;font-size:14px}
.log{list-style:none;display:grid;gap:3px;font-size:13.5px}
.log b{font-weight:550}
.steer{margin-top:8px;color:var(--soft);font-size:13px}
h4+.tiles{margin-top:8px}
.tiles{display:grid;grid-template-columns:repeat(auto-fill,minmax(148px,1fr));gap:8px;list-style:none}
.tile{display:grid;grid-template-columns:16px 1fr;gap:0 8px;align-content:start;padding:8px 10px;border:1px solid var(--line);border-top:3px solid var(--line);border-radius:8px;font-size:14px}
.tile b{font-weight:600}
.tile .word{grid-column:2;text-align:left}
.tile small{grid-column:2}
.tile.good{border-top-color:var(--done)}.tile.info{border-color:var(--confirmed);background:var(--info-ground)}.tile.warn{border-top-color:var(--paused)}.tile.bad{border-color:var(--targeted);background:var(--bad-ground)}
.turns{display:grid;gap:8px;margin-top:12px;list-style:none}
.turn-card{padding:10px 14px;border:1px solid var(--line);border-left:3px solid var(--confirmed);border-radius:8px;font-size:14px}
.turn-card.bad{border-left-color:var(--targeted)}
.steps-bar{display:flex;gap:4px;margin:6px 0 8px;list-style:none;font-size:12.5px}
.steps-bar li{flex:1;padding-top:4px;border-top:3px solid var(--line);color:var(--soft)}
.steps-bar .past{border-color:var(--done)}
.steps-bar .now{border-color:var(--confirmed);color:var(--info);font-weight:600}
.bad .steps-bar .now{border-color:var(--targeted);color:var(--bad)}
.tail{margin-top:6px;padding:6px 10px;border-radius:6px;background:var(--sunk)}
.tail code{display:block;white-space:pre-wrap}
.next{margin-top:12px;font-size:15px}
.blocked{margin-top:12px;padding:12px 14px;border:1px solid var(--targeted);border-radius:8px;font-size:14px}
.blocked p+p{margin-top:6px}
@media (max-width:760px){
.banner,main,footer{padding-left:14px;padding-right:14px}
h1{font-size:24px;margin:20px 0 14px}
.figures{grid-template-columns:repeat(3,1fr)}
.figures div{padding:9px 12px;border-top:1px solid var(--line);margin-top:-1px}
.figures dd{font-size:20px}
.figures dt{font-size:12px}
.card{padding:14px}
.incident{padding-left:18px}
.incident header .for,.sight{margin-left:0;flex-basis:100%}
thead{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%)}
colgroup{display:none}
table,tbody,tr,tbody th,tbody td{display:block;width:auto}
tbody tr{display:grid;grid-template-columns:repeat(4,1fr);gap:6px 10px;padding:12px 0;border-bottom:1px solid var(--line)}
tbody tr:last-child{border-bottom:0;padding-bottom:2px}
tbody tr.noted{border-bottom:0;padding-bottom:0}
tbody tr.note{display:block;padding-top:8px}
tbody th,tbody td,th.number,td.number,tbody td:last-child{padding:0;border:0;text-align:left;width:auto;min-width:0}
tbody th,.pools td:nth-child(3),.holds td:nth-child(2),.holds td:nth-child(5),.races td:nth-child(3),.races td:nth-child(8){grid-column:1/-1}
.pools th,.races th,.pools td:nth-child(2),.races td:nth-child(2){grid-column:span 2}
.keys tbody tr{grid-template-columns:1fr auto;padding:6px 0}
.keys tbody th{grid-column:auto}.keys tbody td:last-child{grid-column:1/-1}.keys td::before,.keys .none{display:none}
.pools td:nth-child(11){order:1}.pools td:nth-child(n+7):nth-child(-n+10){order:2}
td[data-label]::before{content:attr(data-label);display:block;color:var(--soft);font-size:12px}
td[data-label=""]::before,.pools td:nth-child(2)::before,.pools td:nth-child(3)::before,.races td:nth-child(2)::before{display:none}
.pools .pills{justify-content:flex-end}
.bar{margin-left:auto}
.holds td:nth-child(3),.holds td:nth-child(4){grid-column:span 2}
.course{margin-left:0;width:180px;height:24px}
.gates li,.cost div{grid-template-columns:1fr}
.timeline tbody tr{grid-template-columns:auto 1fr;gap:2px 12px;padding:8px 0}
.timeline tbody th{grid-column:auto}
.timeline td::before{display:none}
.pipeline{margin:12px 0 0;padding:0;overflow:visible}
.pipeline>ol{flex-direction:column;gap:18px;min-width:0}
.stage{flex:none;max-width:none}
.stage+.stage::before{left:18px;top:-18px;width:2px;height:18px}
.timeline tbody td:nth-child(3),.timeline tbody td:nth-child(4){grid-column:1/-1}
}
@media print{.turn,.skip,.copy{display:none}body{background:none}}
`;

/** For the Content-Security-Policy: allows this style sheet and no other. */
export const styleHash = `sha256-${createHash('sha256').update(style).digest('base64')}`;
