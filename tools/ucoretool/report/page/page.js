/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The time line: charts with a common range, and a table that summarises the range.
 *
 * If several samples share a pixel, their minimum and maximum are drawn as a band and their
 * mean as a line. Peaks stay visible, and the cost of drawing depends on the number of pixels.
 */
"use strict";
(() => {
const data = JSON.parse(document.getElementById("recording").textContent);
const start = BigInt(data.real);		/* wall clock, ns */
const whole = { from: 0, to: Math.max(data.end, 1) };
const MARGIN = { left: 74, right: 14, top: 10, bottom: 24 };
const BINS = 16;

const view = {
	from: whole.from, to: whole.to, by: "socket", clock: "wall",
	charts: [], cursor: null, drag: null, sort: null, whose: null, task: null,
};

const make = (tag, properties = {}, ...children) => {
	const element = Object.assign(document.createElement(tag), properties);
	element.append(...children);
	return element;
};
const byId = (id) => document.getElementById(id);

/* ---- columns, decoded at the first use -------------------------------------- */

const decoded = new Map();

function column(id) {
	if (decoded.has(id))
		return decoded.get(id);
	const element = byId(id);
	const text = atob(element.textContent);
	const bytes = new Uint8Array(text.length);
	for (let i = 0; i < text.length; i++)
		bytes[i] = text.charCodeAt(i);
	const array = element.dataset.as === "u32" ? new Uint32Array(bytes.buffer) :
		      new Float64Array(bytes.buffer);
	decoded.set(id, array);
	element.textContent = "";
	return array;
}

/* ---- quantities and their lines --------------------------------------------- */

/* A quantity is a metric or an event; a line is a quantity of a socket, die, CPU or box */
const quantities = new Map();

function quantityOf(series) {
	const key = series.metric ? "m " + series.metric : "e " + series.index;
	if (!quantities.has(key))
		quantities.set(key, {
			key, name: series.metric || series.event, metric: !!series.metric,
			unit: series.metric ? series.unit : series.bytes ? "MB/s" : "/s",
			text: series.metric ? series.text : "", formula: series.formula || "",
			scale: series.metric || !series.bytes ? 1 : series.bytes / series.per / 1e6,
			series: [], lines: {},
		});
	return quantities.get(key);
}

data.series.forEach((series, i) => {
	series.id = i;
	quantityOf(series).series.push(series);
});

function placeOf(series, box) {
	const words = [];
	if (series.metric && series.socket === undefined)
		return "all sockets";
	if (series.metric && !series.box)
		return "socket " + series.socket;
	if (box && series.box)
		words.push(series.box);
	words.push(series.domain);
	return words.join(", ");
}

function line(quantity, series, place) {
	return { quantity, series, place, axis: series[0].axis, values: null, on: true,
		 domain: series[0].domain, box: series[0].box, note: series[0].note };
}

/* Return the lines of a quantity. Boxes of a domain are summed, except for metrics. */
function linesOf(quantity, by) {
	if (quantity.lines[by])
		return quantity.lines[by];
	const groups = new Map();
	for (const series of quantity.series) {
		const key = by === "box" || quantity.metric ? series.id : series.axis;
		groups.set(key, (groups.get(key) || []).concat(series));
	}
	quantity.lines[by] = [...groups.values()].map((series) =>
		line(quantity, series, placeOf(series[0], by === "box")));
	quantity.lines[by].forEach((one, i) => { one.colour = i % 8; one.dash = i >= 8; });
	return quantity.lines[by];
}

/* Calculate a line's columns: end of each interval, time counted, and rate */
function fill(one) {
	if (one.values)
		return one;
	const time = column("t" + one.axis);
	const running = column((one.series[0].unfrozen ? "l" : "r") + one.axis);
	const values = new Float64Array(time.length);
	for (const series of one.series) {
		const counts = column("v" + series.id);
		for (let i = 0; i < values.length; i++)
			values[i] += counts[i];
	}
	if (!one.quantity.metric)
		for (let i = 0; i < values.length; i++)
			values[i] = running[i] > 0 ? values[i] * one.quantity.scale * 1e9 / running[i] : NaN;
	one.time = time;
	one.running = running;
	one.values = values;
	return one;
}

/* Return the begin of interval i: the previous sample, or later if counting was stopped */
function beginOf(one, i) {
	const before = i ? one.time[i - 1] : 0;
	const own = one.time[i] - one.running[i];
	return own - before > 0.05 * one.running[i] ? own : before;
}

/* Return the index of the first interval that ends after a time */
function behind(time, at) {
	let low = 0, high = time.length;
	while (low < high) {
		const middle = (low + high) >> 1;
		if (time[middle] <= at)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* ---- tasks at the ends of intervals --------------------------------------------- */

/* The axes with tasks, and their sockets */
const ranAxes = new Map(data.series.filter((series) => !series.metric && byId("n" + series.axis))
	.map((series) => [series.axis, series.socket]));
const ranEnds = new Map();

/* Return the indexes into data.tasks of the tasks at the end of interval i */
function ranIn(axis, i) {
	if (!ranAxes.has(axis))
		return [];
	if (!ranEnds.has(axis)) {
		let end = 0;
		ranEnds.set(axis, column("n" + axis).map((nr) => end += nr));
	}
	const ends = ranEnds.get(axis);
	return column("k" + axis).subarray(i ? ends[i - 1] : 0, ends[i]);
}

/* Return the axes whose tasks ran on the sockets of a chart */
function ranAxesOf(chart) {
	const lines = chart.lines.filter((one) => one.on);
	return [...ranAxes].filter(([axis, socket]) => lines.some((one) => one.quantity.metric ?
		[undefined, socket].includes(one.series[0].socket) : one.axis === axis))
		.map(([axis]) => axis);
}

/*
 * Draw a stripe for each die at the bottom of the chart, at the times when the selected task
 * ran
 */
function drawRan(chart, box) {
	const pen = chart.pen;
	if (view.task === null)
		return;
	pen.fillStyle = theme.accent;
	ranAxesOf(chart).forEach((axis, nr) => {
		const one = { time: column("t" + axis), running: column("r" + axis) };
		const { first, last } = visible(one);
		const top = box.top + box.height - 5 * (nr + 1);
		let done = -Infinity;
		for (let i = first; i <= last; i++) {
			const right = Math.min(box.x(one.time[i]), box.left + box.width);
			if (right - done < 1 || !ranIn(axis, i).includes(view.task))
				continue;
			const left = Math.max(box.x(beginOf(one, i)), box.left, done);
			pen.fillRect(left, top, Math.max(1, right - left), 4);
			done = right;
		}
	});
}

function ranText(chart) {
	const found = new Set();
	for (const axis of view.cursor === null ? [] : ranAxesOf(chart)) {
		const i = behind(column("t" + axis), view.cursor - 0.5);
		if (i < column("t" + axis).length)
			ranIn(axis, i).forEach((key) => found.add(key));
	}
	const names = [...found].map((key) => `${data.tasks[key].comm} ${data.tasks[key].pid}`);
	chart.ran.textContent = names.length ? "ran: " + names.slice(0, 12).join(", ") +
		(names.length > 12 ? ` and ${names.length - 12} more` : "") : "";
}

/* ---- texts ----------------------------------------------------------------- */

/* Format a number with four digits, with k, M, ... if it is per second */
function numberText(value, unit = "/s") {
	if (!Number.isFinite(value))
		return "\u2013";
	if (unit !== "/s" && Math.abs(value) >= 1000)
		return Math.round(value).toLocaleString("en");
	const prefixes = ["", "k", "M", "G", "T", "P"];
	let size = Math.abs(value), power = 0;
	while (size >= 9999.5 && power + 1 < prefixes.length) {
		size /= 1000;
		power++;
	}
	if (size && size < 0.001)
		return value.toExponential(2);
	const digits = size < 10 ? 3 : size < 100 ? 2 : size < 1000 ? 1 : 0;
	const text = (value / 1000 ** power).toFixed(digits);
	return prefixes[power] ? text + " " + prefixes[power] : text;
}

/* Format a time with as many digits as needed to distinguish ticks */
function timeText(ns, step) {
	const digits = Math.min(9, Math.max(0, Math.ceil(9 - Math.log10(Math.max(step, 1)))));
	if (view.clock === "start")
		return (ns / 1e9).toFixed(digits) + " s";
	const real = start + BigInt(Math.round(ns));
	const date = new Date(Number(real / 1000000n));
	const two = (number) => String(number).padStart(2, "0");
	const rest = String(real % 1000000000n).padStart(9, "0").slice(0, digits);
	return `${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}` +
		(digits ? "." + rest : "");
}

function durationText(ns) {
	const units = [[1e9, "s"], [1e6, "ms"], [1e3, "\u00b5s"], [1, "ns"]];
	const [size, unit] = units.find(([size]) => ns >= size) || units[3];
	return `${Number((ns / size).toPrecision(4))} ${unit}`;
}

function dayText(ns) {
	const date = new Date(Number((start + BigInt(Math.round(ns))) / 1000000n));
	return date.toLocaleString(undefined, { dateStyle: "medium", timeStyle: "medium" });
}

/* ---- charts ------------------------------------------------------------------ */

const theme = {};

function themeRead() {
	const style = getComputedStyle(document.documentElement);
	for (const name of ["ink", "soft", "rule", "grid", "lost", "gap", "accent", "card"])
		theme[name] = style.getPropertyValue("--" + name).trim();
	theme.lines = Array.from({ length: 8 }, (_, i) => style.getPropertyValue("--line-" + i).trim());
}

function niceStep(span, most) {
	const raw = span / most, power = 10 ** Math.floor(Math.log10(raw));
	return power * ([1, 2, 5, 10].find((factor) => factor * power >= raw) || 10);
}

/* Calculate the minimum, maximum and mean of the intervals in each pixel */
function buckets(one, box, first, last) {
	const low = new Float64Array(box.width).fill(Infinity);
	const high = new Float64Array(box.width).fill(-Infinity);
	const sum = new Float64Array(box.width), weight = new Float64Array(box.width);
	const scale = box.width / (view.to - view.from);
	for (let i = first; i <= last; i++) {
		const value = one.values[i];
		if (Number.isNaN(value))
			continue;
		const begin = (Math.max(beginOf(one, i), view.from) - view.from) * scale;
		const end = (Math.min(one.time[i], view.to) - view.from) * scale;
		const to = Math.min(Math.floor(end), box.width - 1);
		for (let pixel = Math.max(Math.floor(begin), 0); pixel <= to; pixel++) {
			const part = Math.min(end, pixel + 1) - Math.max(begin, pixel);
			if (part <= 0)
				continue;
			low[pixel] = Math.min(low[pixel], value);
			high[pixel] = Math.max(high[pixel], value);
			sum[pixel] += value * part;
			weight[pixel] += part;
		}
	}
	return { low, high, sum, weight };
}

function visible(one) {
	const first = behind(one.time, view.from);
	let last = Math.min(behind(one.time, view.to), one.time.length - 1);
	/* omit the last interval if it begins after the right edge */
	if (last >= 0 && last < one.time.length && beginOf(one, last) >= view.to)
		last--;
	return { first, last };
}

function highest(lines) {
	let least = 0, most = 0;
	for (const one of lines) {
		const { first, last } = visible(fill(one));
		for (let i = first; i <= last; i++) {
			if (one.values[i] > most)
				most = one.values[i];
			if (one.values[i] < least)
				least = one.values[i];
		}
	}
	return { least, most: most > least ? most : least + 1 };
}

/* Format a tick label with as many digits as needed to distinguish ticks */
function tickText(value, step, unit) {
	if (Math.abs(value) < step / 1e6)
		return "0";
	const power = unit === "/s" ? Math.max(0, Math.min(5, Math.floor(Math.log10(Math.abs(value)) / 3))) : 0;
	const digits = Math.max(0, -Math.floor(Math.log10(step / 1000 ** power) + 1e-9));
	return (value / 1000 ** power).toLocaleString("en", { minimumFractionDigits: Math.min(digits, 6),
		maximumFractionDigits: Math.min(digits, 6) }) + (power ? " " + " kMGTP"[power] : "");
}

function drawFrame(chart, box, range) {
	const pen = chart.pen;
	const step = niceStep(range.most - range.least, Math.max(2, box.height / 30));
	pen.font = "11.5px " + getComputedStyle(document.body).fontFamily;
	pen.textBaseline = "middle";
	pen.textAlign = "right";
	pen.lineWidth = 1;
	for (let value = Math.ceil(range.least / step) * step; value <= range.most; value += step) {
		const y = Math.round(box.y(value)) + 0.5;
		pen.strokeStyle = theme.grid;
		pen.beginPath();
		pen.moveTo(box.left, y);
		pen.lineTo(box.left + box.width, y);
		pen.stroke();
		pen.fillStyle = theme.soft;
		pen.fillText(tickText(value, step, chart.quantity.unit), box.left - 8, y);
	}
	drawTicks(pen, box);
}

/* Return the tick distance; from one second on, a usual division of the clock */
function timeStep(span, most) {
	const steps = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 10800, 21600,
		       43200, 86400];
	if (span / most <= 5e8)
		return niceStep(span, most);
	return (steps.find((step) => step * 1e9 * most >= span) || 86400) * 1e9;
}

function drawTicks(pen, box) {
	const step = timeStep(view.to - view.from, Math.max(2, box.width / 130));
	/* ticks of the time of day are at full seconds of the clock, not of the recording */
	const shift = view.clock === "wall" ? Number(start % BigInt(Math.max(1, Math.round(step)))) : 0;
	pen.textAlign = "center";
	pen.textBaseline = "top";
	pen.fillStyle = theme.soft;
	pen.strokeStyle = theme.rule;
	const first = Math.ceil((view.from + shift) / step) * step - shift;
	for (let at = first; at <= view.to; at += step) {
		const x = Math.round(box.x(at)) + 0.5;
		pen.beginPath();
		pen.moveTo(x, box.top + box.height);
		pen.lineTo(x, box.top + box.height + 4);
		pen.stroke();
		if (x > box.left + 30 && x < box.left + box.width - 30)
			pen.fillText(timeText(at, step), x, box.top + box.height + 7);
	}
	pen.beginPath();
	pen.moveTo(box.left, box.top + box.height + 0.5);
	pen.lineTo(box.left + box.width, box.top + box.height + 0.5);
	pen.stroke();
}

/* Return the marked ranges: offline to online, and lost records from the previous sample on */
function spans() {
	const found = [];
	for (const mark of data.marks) {
		if (mark.lost) {
			found.push({ kind: "lost", from: mark.from, to: mark.time, mark });
		} else if (/offline$/.test(mark.gap)) {
			const back = data.marks.find((other) => other.domain === mark.domain &&
				other.time >= mark.time && /online$/.test(other.gap || "") &&
				!/offline$/.test(other.gap));
			found.push({ kind: "gap", from: mark.time, to: back ? back.time : whole.to, mark });
		} else if (!/online$/.test(mark.gap || "")) {
			found.push({ kind: "event", from: mark.time, to: mark.time, mark });
		}
	}
	return found;
}
const allSpans = spans();

function drawSpans(chart, box) {
	const pen = chart.pen;
	const domains = new Set(chart.lines.filter((one) => one.on).map((one) => one.domain));
	for (const span of allSpans) {
		/* a metric of a socket belongs to all domains */
		if (span.to < view.from || span.from > view.to ||
		    (!domains.has(undefined) && !domains.has(span.mark.domain)))
			continue;
		const left = Math.max(box.x(span.from), box.left);
		const right = Math.min(Math.max(box.x(span.to), left + 2), box.left + box.width);
		pen.save();
		pen.globalAlpha = span.kind === "lost" ? 0.28 : 0.45;
		pen.fillStyle = span.kind === "lost" ? theme.lost : span.kind === "gap" ? hatch(pen) : theme.gap;
		pen.fillRect(left, box.top, right - left, box.height);
		pen.restore();
		pen.fillStyle = span.kind === "lost" ? theme.lost : theme.gap;
		pen.beginPath();
		pen.moveTo((left + right) / 2 - 4, box.top - 6);
		pen.lineTo((left + right) / 2 + 4, box.top - 6);
		pen.lineTo((left + right) / 2, box.top);
		pen.fill();
	}
}

function hatch(pen) {
	const tile = make("canvas", { width: 8, height: 8 });
	const small = tile.getContext("2d");
	small.strokeStyle = theme.gap;
	small.lineWidth = 1.5;
	small.beginPath();
	for (const at of [-8, 0, 8]) {
		small.moveTo(at, 8);
		small.lineTo(at + 8, 0);
	}
	small.stroke();
	return pen.createPattern(tile, "repeat");
}

function drawBuckets(pen, one, box, first, last, colour) {
	const { low, high, sum, weight } = buckets(one, box, first, last);
	pen.fillStyle = colour;
	pen.globalAlpha = 0.26;
	for (let i = 0; i < box.width; i++)
		if (weight[i] && high[i] > low[i])
			pen.fillRect(box.left + i, box.y(high[i]), 1,
				     Math.max(1, box.y(low[i]) - box.y(high[i])));
	pen.globalAlpha = 1;
	pen.beginPath();
	let down = false;
	for (let i = 0; i < box.width; i++) {
		if (!weight[i]) {
			down = false;
			continue;
		}
		const y = box.y(sum[i] / weight[i]);
		if (down) {
			pen.lineTo(box.left + i + 0.5, y);
		} else {
			pen.moveTo(box.left + i, y);
			pen.lineTo(box.left + i + 0.5, y);
		}
		down = true;
	}
	pen.stroke();
}

/* Draw a line with a step for each interval, and nothing where nothing was counted */
function drawSteps(pen, one, box, first, last) {
	let end = NaN;
	pen.beginPath();
	for (let i = first; i <= last; i++) {
		const value = one.values[i], begin = beginOf(one, i);
		if (Number.isNaN(value))
			continue;
		if (begin === end)
			pen.lineTo(box.x(begin), box.y(value));
		else
			pen.moveTo(box.x(begin), box.y(value));
		pen.lineTo(box.x(one.time[i]), box.y(value));
		end = one.time[i];
	}
	pen.stroke();
}

function drawLine(chart, one, box) {
	const pen = chart.pen, colour = theme.lines[one.colour];
	const { first, last } = visible(one);
	pen.save();
	pen.beginPath();
	pen.rect(box.left, box.top - 2, box.width, box.height + 4);
	pen.clip();
	pen.strokeStyle = colour;
	pen.lineWidth = 1.6;
	pen.lineJoin = "round";
	pen.setLineDash(one.dash ? [5, 3] : []);
	if (last - first > 1.5 * box.width)
		drawBuckets(pen, one, box, first, last, colour);
	else
		drawSteps(pen, one, box, first, last);
	pen.restore();
}

function boxOf(chart, range) {
	const width = Math.max(1, Math.floor(chart.canvas.clientWidth - MARGIN.left - MARGIN.right));
	const height = chart.canvas.clientHeight - MARGIN.top - MARGIN.bottom;
	return {
		left: MARGIN.left, top: MARGIN.top, width, height,
		x: (at) => MARGIN.left + (at - view.from) / (view.to - view.from) * width,
		y: (value) => MARGIN.top + height -
			(value - range.least) / (range.most - range.least) * height,
	};
}

function drawCursor(chart, box) {
	const pen = chart.pen;
	if (view.drag && !view.drag.move) {
		const left = Math.max(box.x(Math.min(view.drag.from, view.drag.to)), box.left);
		const right = Math.min(box.x(Math.max(view.drag.from, view.drag.to)), box.left + box.width);
		pen.globalAlpha = 0.16;
		pen.fillStyle = theme.accent;
		pen.fillRect(left, box.top, right - left, box.height);
		pen.globalAlpha = 1;
	}
	if (view.cursor === null)
		return;
	const x = Math.round(box.x(view.cursor)) + 0.5;
	pen.strokeStyle = theme.soft;
	pen.setLineDash([3, 3]);
	pen.beginPath();
	pen.moveTo(x, box.top);
	pen.lineTo(x, box.top + box.height);
	pen.stroke();
	pen.setLineDash([]);
}

/* Return the value of the interval that contains a time */
function valueAt(one, at) {
	const i = behind(one.time, at - 0.5);
	return i < one.time.length && beginOf(one, i) <= at ? one.values[i] : NaN;
}

function drawLegend(chart) {
	for (const one of chart.lines)
		one.value.textContent = view.cursor === null ? "" :
			numberText(valueAt(fill(one), view.cursor), chart.quantity.unit);
}

function drawChart(chart) {
	const canvas = chart.canvas, ratio = devicePixelRatio || 1;
	const width = Math.round(canvas.clientWidth * ratio);
	const height = Math.round(canvas.clientHeight * ratio);
	if (canvas.width !== width || canvas.height !== height)
		Object.assign(canvas, { width, height });
	const lines = chart.lines.filter((one) => one.on);
	const range = highest(lines);
	range.most += (range.most - range.least) * 0.04;
	const box = boxOf(chart, range);
	chart.box = box;
	chart.pen.setTransform(ratio, 0, 0, ratio, 0, 0);
	chart.pen.clearRect(0, 0, canvas.clientWidth, canvas.clientHeight);
	drawFrame(chart, box, range);
	drawSpans(chart, box);
	for (const one of lines)
		drawLine(chart, one, box);
	drawRan(chart, box);
	drawCursor(chart, box);
	drawLegend(chart);
	ranText(chart);
}

let drawing = 0;

function draw() {
	if (!drawing)
		drawing = requestAnimationFrame(() => {
			drawing = 0;
			view.charts.forEach(drawChart);
		});
}

/* ---- the range ----------------------------------------------------------------- */

let tabling = 0;

function show(from, to) {
	const least = Math.min(1000, whole.to);		/* ns: finer than any sample */
	const span = Math.min(Math.max(to - from, least), whole.to);
	view.from = Math.min(Math.max(from, 0), whole.to - span);
	view.to = view.from + span;
	byId("reset").disabled = view.from === 0 && view.to === whole.to;
	rangeText();
	draw();
	clearTimeout(tabling);
	tabling = setTimeout(tableFill, 120);
}

function rangeText() {
	const step = (view.to - view.from) / 1000;
	byId("range").textContent = `${timeText(view.from, step)} \u2013 ${timeText(view.to, step)}` +
		` (${durationText(view.to - view.from)})`;
}

function zoom(factor, at = (view.from + view.to) / 2) {
	show(at - (at - view.from) * factor, at + (view.to - at) * factor);
}

function shift(part) {
	const by = (view.to - view.from) * part;
	show(view.from + by, view.to + by);
}

function timeAt(chart, event) {
	const x = event.clientX - chart.canvas.getBoundingClientRect().left;
	const part = (x - chart.box.left) / chart.box.width;
	return view.from + Math.min(Math.max(part, 0), 1) * (view.to - view.from);
}

function pointerDown(chart, event) {
	if (event.button)
		return;
	const at = timeAt(chart, event);
	view.drag = { from: at, to: at, move: event.shiftKey, x: event.clientX };
	chart.canvas.setPointerCapture(event.pointerId);
}

function pointerMove(chart, event) {
	const at = timeAt(chart, event);
	if (view.drag && view.drag.move) {
		show(view.from + view.drag.from - at, view.to + view.drag.from - at);
		return;
	}
	if (view.drag)
		view.drag.to = at;
	view.cursor = at;
	draw();
}

function pointerUp(event) {
	const drag = view.drag;
	view.drag = null;
	if (drag && !drag.move && Math.abs(event.clientX - drag.x) > 4)
		show(Math.min(drag.from, drag.to), Math.max(drag.from, drag.to));
	else
		draw();
}

function wheel(chart, event) {
	event.preventDefault();
	zoom(event.deltaY > 0 ? 1.3 : 1 / 1.3, timeAt(chart, event));
}

function key(event) {
	if (event.target.closest("select, button, input") || event.ctrlKey || event.metaKey)
		return;
	const actions = {
		"+": () => zoom(0.5), "=": () => zoom(0.5), "-": () => zoom(2),
		ArrowLeft: () => shift(-0.25), ArrowRight: () => shift(0.25),
		0: () => show(whole.from, whole.to),
	};
	if (!actions[event.key])
		return;
	event.preventDefault();
	actions[event.key]();
}

/* ---- building charts ------------------------------------------------------------- */

function legendOf(chart) {
	chart.legend.replaceChildren(...chart.lines.map((one) => {
		const swatch = make("i");
		swatch.style.background = `var(--line-${one.colour})`;
		one.value = make("b");
		const button = make("button", { title: "show or hide" }, swatch, one.place, one.value);
		button.setAttribute("aria-pressed", one.on);
		button.addEventListener("click", () => {
			one.on = !one.on;
			button.setAttribute("aria-pressed", one.on);
			draw();
		});
		return button;
	}));
}

function chartShow(chart, quantity) {
	chart.quantity = quantity;
	chart.select.value = quantity.key;
	chart.unit.textContent = quantity.unit === "/s" ? "per second" : quantity.unit;
	/* copy the lines, because another chart may have the same quantity */
	chart.lines = linesOf(quantity, view.by).map((one) => ({ ...fill(one) }));
	chart.text.textContent = [quantity.text, quantity.formula && "= " + quantity.formula]
		.filter(Boolean).join("  ");
	chart.canvas.setAttribute("aria-label", `${quantity.name}, ${chart.unit.textContent}, over time`);
	legendOf(chart);
	shownRows();
	draw();
}

function optionsOf() {
	const group = (label, list) => make("optgroup", { label }, ...list.map((quantity) =>
		make("option", { value: quantity.key, textContent: quantity.name })));
	const all = [...quantities.values()];
	const metrics = all.filter((quantity) => quantity.metric);
	const events = all.filter((quantity) => !quantity.metric);
	return [metrics.length ? group("metrics", metrics) : "", group("events", events)];
}

function chartClose(chart) {
	view.charts = view.charts.filter((other) => other !== chart);
	chart.element.remove();
	shownRows();
}

function chartAdd(quantity) {
	const chart = {
		select: make("select", { title: "what the chart shows" }, ...optionsOf()),
		unit: make("span", { className: "unit" }),
		legend: make("div", { className: "legend" }),
		canvas: make("canvas", { tabIndex: 0 }),
		text: make("p", { className: "text" }),
		ran: make("p", { className: "text ran", hidden: !ranAxes.size }),
	};
	const close = make("button", { className: "close", textContent: "\u00d7", title: "remove this chart" });
	chart.canvas.setAttribute("role", "img");
	chart.pen = chart.canvas.getContext("2d");
	chart.element = make("div", { className: "chart" },
		make("div", { className: "bar" }, chart.select, chart.unit, chart.legend, close),
		chart.canvas, chart.ran, chart.text);
	chart.select.addEventListener("change", () => chartShow(chart, quantities.get(chart.select.value)));
	close.addEventListener("click", () => chartClose(chart));
	chart.canvas.addEventListener("pointerdown", (event) => pointerDown(chart, event));
	chart.canvas.addEventListener("pointermove", (event) => pointerMove(chart, event));
	chart.canvas.addEventListener("pointerup", pointerUp);
	chart.canvas.addEventListener("pointerleave", () => { view.cursor = null; draw(); });
	chart.canvas.addEventListener("dblclick", () => show(whole.from, whole.to));
	chart.canvas.addEventListener("wheel", (event) => wheel(chart, event), { passive: false });
	byId("charts").append(chart.element);
	view.charts.push(chart);
	chartShow(chart, quantity);
}

/* ---- the table ---------------------------------------------------------------------- */

const COLUMNS = [
	{ name: "event or metric", of: (row) => row.one.quantity.name, left: true, kind: "name" },
	{ name: "where", of: (row) => row.one.place, left: true },
	{ name: "samples", of: (row) => row.nr, text: (nr) => nr.toLocaleString("en") },
	{ name: "count", of: (row) => row.count, text: (count) => count === null ? "" : count.toLocaleString("en") },
	{ name: "unit", of: (row) => row.one.quantity.unit, left: true },
	{ name: "rate", of: (row) => row.rate, text: (rate, unit) => rate === null ? "" : numberText(rate, unit) },
	...["min", "mean", "p50", "p99", "max"].map((name) =>
		({ name, of: (row) => row[name], text: numberText })),
	{ name: "min .. max", of: null, kind: "bars" },
	{ name: "", of: (row) => row.one.note || "", left: true, kind: "note" },
];

function percentile(sorted, percent) {
	return sorted[Math.ceil(percent * sorted.length / 100) - 1];
}

function binsOf(sorted) {
	const bins = new Array(BINS).fill(0);
	const width = (sorted[sorted.length - 1] - sorted[0]) / BINS;
	for (const value of sorted)
		bins[width > 0 ? Math.min(BINS - 1, Math.floor((value - sorted[0]) / width)) : 0]++;
	return bins;
}

/* Summarise the intervals of a line that end in the range */
function statistics(one) {
	fill(one);
	const first = view.from > 0 ? behind(one.time, view.from - 0.5) : 0;
	const end = behind(one.time, view.to);
	const sorted = one.values.slice(first, end).filter(Number.isFinite).sort();
	const row = { one, nr: sorted.length, count: null, rate: null };
	if (!one.quantity.metric) {
		let running = 0;
		row.count = 0;
		for (let i = first; i < end; i++)
			running += one.running[i];
		for (const series of one.series) {
			const counts = column("v" + series.id);
			for (let i = first; i < end; i++)
				row.count += counts[i];
		}
		row.rate = running > 0 ? row.count * one.quantity.scale * 1e9 / running : NaN;
	}
	if (!sorted.length)
		return Object.assign(row, { min: NaN, mean: NaN, p50: NaN, p99: NaN, max: NaN, bins: [] });
	return Object.assign(row, {
		min: sorted[0], max: sorted[sorted.length - 1],
		mean: sorted.reduce((sum, value) => sum + value, 0) / sorted.length,
		p50: percentile(sorted, 50), p99: percentile(sorted, 99), bins: binsOf(sorted),
	});
}

function barsOf(bins) {
	const space = "http://www.w3.org/2000/svg", most = Math.max(1, ...bins);
	const picture = document.createElementNS(space, "svg");
	picture.setAttribute("class", "bars");
	picture.setAttribute("width", BINS * 6);
	picture.setAttribute("height", 16);
	bins.forEach((nr, i) => {
		const bar = document.createElementNS(space, "rect");
		const height = nr ? Math.max(1, 16 * nr / most) : 0;
		bar.setAttribute("x", i * 6);
		bar.setAttribute("y", 16 - height);
		bar.setAttribute("width", 5);
		bar.setAttribute("height", height);
		picture.append(bar);
	});
	return picture;
}

function cellOf(column, row) {
	const cell = make("td", { className: (column.left ? "left " : "") + (column.kind || "") });
	if (column.kind === "bars")
		cell.append(barsOf(row.bins));
	else
		cell.textContent = column.text ? column.text(column.of(row), row.one.quantity.unit) : column.of(row);
	return cell;
}

/* Show a quantity in the first chart, or in a new one if there is none */
function rowChosen(quantity) {
	if (!view.charts.length)
		chartAdd(quantity);
	else if (!view.charts.some((chart) => chart.quantity === quantity))
		chartShow(view.charts[0], quantity);
	view.charts[0].element.scrollIntoView({ block: "nearest" });
}

function rowOf(row) {
	const element = make("tr", { tabIndex: 0, title: "show in the chart" },
		...COLUMNS.map((column) => cellOf(column, row)));
	element.dataset.key = row.one.quantity.key;
	element.addEventListener("click", () => rowChosen(row.one.quantity));
	element.addEventListener("keydown", (event) => {
		if (event.key === "Enter")
			rowChosen(row.one.quantity);
	});
	return element;
}

function shownRows() {
	const keys = new Set(view.charts.map((chart) => chart.quantity && chart.quantity.key));
	for (const row of byId("table").tBodies[0].rows)
		row.classList.toggle("shown", keys.has(row.dataset.key));
}

function compare(a, b) {
	if (typeof a === "string" || typeof b === "string")
		return String(a).localeCompare(String(b), undefined, { numeric: true });
	return (a ?? -Infinity) - (b ?? -Infinity);
}

function tableFill() {
	let rows = [...quantities.values()].flatMap((quantity) => linesOf(quantity, view.by)).map(statistics);
	if (view.sort !== null) {
		const { of } = COLUMNS[view.sort.column];
		rows.sort((a, b) => view.sort.sign * compare(of(a), of(b)));
	}
	view.rows = rows;
	byId("table").tBodies[0].replaceChildren(...rows.map(rowOf));
	shownRows();
	whoFill();
}

function sortBy(i) {
	if (!COLUMNS[i].of)
		return;
	view.sort = { column: i, sign: view.sort && view.sort.column === i ? -view.sort.sign :
		      COLUMNS[i].left ? 1 : -1 };
	[...byId("table").tHead.rows[0].cells].forEach((cell, j) =>
		cell.setAttribute("aria-sort", j !== i ? "none" :
			view.sort.sign > 0 ? "ascending" : "descending"));
	tableFill();
}

function tableHead() {
	byId("table").tHead.append(make("tr", {}, ...COLUMNS.map((column, i) => {
		const cell = make("th", { textContent: column.name, className: column.left ? "left" : "" });
		cell.addEventListener("click", () => sortBy(i));
		return cell;
	})));
}

/* ---- table of tasks ------------------------------------------------------------------ */

const MOST = 200;			/* number of rows; further tasks are only counted */

const WHO_COLUMNS = [
	{ name: "name", of: (row) => row.task.comm, left: true },
	{ name: "process", of: (row) => row.task.pid },
	{ name: "intervals", of: (row) => row.nr, text: (nr) => nr.toLocaleString("en") },
	{ name: "count", of: (row) => row.count, text: (count) => count.toLocaleString("en") },
	{ name: "of all, %", of: (row) => 100 * row.count / row.all, text: (part) => numberText(part, "%") },
	{ name: "unit", of: (row) => row.unit, left: true },
	{ name: "rate while it ran", of: (row) => row.rate, text: numberText },
	{ name: "rate otherwise", of: (row) => row.otherwise, text: numberText },
];

/* Sum the counts of a line in the range, in total and for each task */
function whoCounted(one) {
	const { time, running } = fill(one);
	const counts = one.series.map((series) => column("v" + series.id));
	const whole = { count: 0, running: 0 }, tasks = new Map();
	const first = view.from > 0 ? behind(time, view.from - 0.5) : 0;
	const end = behind(time, view.to);
	for (let i = first; i < end; i++) {
		const count = counts.reduce((sum, list) => sum + list[i], 0);
		whole.count += count;
		whole.running += running[i];
		for (const key of ranIn(one.axis, i)) {
			const sum = tasks.get(key) || { nr: 0, count: 0, running: 0 };
			tasks.set(key, { nr: sum.nr + 1, count: sum.count + count,
					 running: sum.running + running[i] });
		}
	}
	return { whole, tasks };
}

/* Return a row for each task; its other times are those on the dies on which it ran */
function whoRows(quantity) {
	const rows = new Map();
	const rate = (count, running) => running > 0 ? count * quantity.scale * 1e9 / running : NaN;
	let all = 0;
	for (const one of linesOf(quantity, "socket")) {
		const { whole, tasks } = whoCounted(one);
		all += whole.count;
		for (const [key, sum] of tasks) {
			const row = rows.get(key) || { key, task: data.tasks[key], nr: 0, count: 0, running: 0,
						       rest: 0, restRunning: 0 };
			row.nr += sum.nr;
			row.count += sum.count;
			row.running += sum.running;
			row.rest += whole.count - sum.count;
			row.restRunning += whole.running - sum.running;
			rows.set(key, row);
		}
	}
	return [...rows.values()].map((row) => ({ ...row, all, unit: quantity.unit,
		rate: rate(row.count, row.running), otherwise: rate(row.rest, row.restRunning) }))
		.sort((a, b) => b.count - a.count || b.nr - a.nr);
}

function taskChosen(key) {
	view.task = view.task === key ? null : key;
	for (const row of byId("ran").tBodies[0].rows)
		row.classList.toggle("shown", Number(row.dataset.key) === view.task);
	draw();
}

function whoRow(row) {
	const element = make("tr", { tabIndex: 0, title: "show when it ran",
				     className: row.key === view.task ? "shown" : "" },
		...WHO_COLUMNS.map((column) => make("td", { className: column.left ? "left" : "",
			textContent: column.text ? column.text(column.of(row), row.unit) : column.of(row) })));
	element.dataset.key = row.key;
	element.addEventListener("click", () => taskChosen(row.key));
	element.addEventListener("keydown", (event) => {
		if (event.key === "Enter")
			taskChosen(row.key);
	});
	return element;
}

function whoFill() {
	if (!ranAxes.size)
		return;
	view.whoRows = whoRows(view.whose);
	const rows = view.whoRows.slice(0, MOST).map(whoRow);
	if (view.whoRows.length > MOST)
		rows.push(make("tr", {}, make("td", { className: "left", colSpan: WHO_COLUMNS.length,
			textContent: `and ${(view.whoRows.length - MOST).toLocaleString("en")} more tasks` })));
	byId("ran").tBodies[0].replaceChildren(...rows);
}

function whoPrepare() {
	const events = [...quantities.values()].filter((quantity) => !quantity.metric);
	const select = byId("who-event");
	byId("who").hidden = !ranAxes.size;
	if (!ranAxes.size)
		return;
	view.whose = events[0];
	select.append(...events.map((quantity) =>
		make("option", { value: quantity.key, textContent: quantity.name })));
	select.addEventListener("change", () => {
		view.whose = quantities.get(select.value);
		whoFill();
	});
	byId("ran").tHead.append(make("tr", {}, ...WHO_COLUMNS.map((column) =>
		make("th", { textContent: column.name, className: column.left ? "left" : "" }))));
}

/* ---- the whole page ------------------------------------------------------------------ */

function chosen(name, value, ids) {
	view[name] = value;
	for (const [id, other] of Object.entries(ids))
		byId(id).setAttribute("aria-checked", other === value);
}

function chooseBy(by) {
	chosen("by", by, { "by-socket": "socket", "by-box": "box" });
	view.charts.forEach((chart) => chartShow(chart, chart.quantity));
	tableFill();
}

function chooseClock(clock) {
	chosen("clock", clock, { "clock-wall": "wall", "clock-start": "start" });
	rangeText();
	draw();
}

function texts() {
	const samples = new Map();
	for (const series of data.series)
		if (!series.metric)
			samples.set(series.axis, data.axes[series.axis]);
	const nr = [...samples.values()].reduce((sum, count) => sum + count, 0);
	const name = data.file === "-" ? "recording" : data.file.split("/").pop();
	document.title = name + " \u2013 ucoretool";
	byId("title").textContent = name;
	byId("title").title = data.file;
	byId("facts").textContent = [dayText(0), durationText(whole.to),
		`${nr.toLocaleString("en")} samples`, data.platform,
		data.timer ? `every ${durationText(data.timer)}` : ""].filter(Boolean).join("  \u00b7  ");
	byId("footer").textContent = `ucoretool ${data.version}; times of day are in the time zone of this ` +
		`browser; the recording started at ${(Number(BigInt(data.monotonic) / 1000n) / 1e6).toFixed(6)} s of CLOCK_MONOTONIC`;
}

function warnings() {
	const lost = data.marks.reduce((sum, mark) => sum + (mark.lost || 0), 0);
	const gaps = allSpans.filter((span) => span.kind !== "lost");
	const words = [];
	if (lost)
		words.push(`${lost.toLocaleString("en")} records were lost; in red ranges, a value is the mean over the lost intervals`);
	if (gaps.length)
		words.push([...new Set(gaps.map((span) => `${span.mark.domain}: ${span.mark.gap}`))].join(", "));
	if (!data.complete)
		words.push("the recording was cut short");
	byId("warnings").textContent = words.join("; ");
	byId("warnings").hidden = !words.length;
}

/* Return the quantities of the first charts */
function firstQuantities() {
	const all = [...quantities.values()].filter((quantity) =>
		quantity.series.some((series) => data.axes[series.axis]));
	const total = all.find((quantity) => quantity.name === "memory_bandwidth_total");
	const events = all.filter((quantity) => !quantity.metric);
	const first = [total, ...events].filter(Boolean).slice(0, 2);
	return first.length ? first : [...quantities.values()].slice(0, 1);
}

byId("by-socket").addEventListener("click", () => chooseBy("socket"));
byId("by-box").addEventListener("click", () => chooseBy("box"));
byId("clock-wall").addEventListener("click", () => chooseClock("wall"));
byId("clock-start").addEventListener("click", () => chooseClock("start"));
byId("reset").addEventListener("click", () => show(whole.from, whole.to));
byId("add").addEventListener("click", () => chartAdd(firstQuantities()[0]));
addEventListener("keydown", key);
addEventListener("resize", draw);
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => { themeRead(); draw(); });

themeRead();
texts();
warnings();
tableHead();
whoPrepare();
chooseClock("wall");
firstQuantities().forEach(chartAdd);
chooseBy("socket");
/* time from the start of loading to the first frame, for measurements (ms) */
requestAnimationFrame(() => setTimeout(() => {
	document.body.dataset.ready = performance.now().toFixed(1);
}));

/* interface for tests: the data and functions of the page */
window.ucore = { data, view, show, chooseBy, linesOf, fill, quantities, taskChosen };
})();
