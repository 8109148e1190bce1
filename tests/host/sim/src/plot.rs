// SPDX-License-Identifier: GPL-2.0

//! Reports as a picture: throughput and latency of each kind, one bar a scheduler.

use crate::report::{
    Report,
    Row, //
};
use plotters::prelude::*;
use std::error::Error;
use std::path::Path;

const SIZE: (u32, u32) = (900, 700);
const FONT: &str = "sans-serif";

/// Bars of different schedulers differ in brightness; all have a black edge.
const GREYS: [RGBColor; 3] = [
    RGBColor(60, 60, 60),
    RGBColor(165, 165, 165),
    RGBColor(245, 245, 245),
];

/// Draws the reports, which are all of one workload, to an SVG file.
///
/// # Errors
///
/// If the file cannot be written.
pub fn draw(path: &Path, title: &str, reports: &[Report]) -> Result<(), Box<dyn Error>> {
    let root = SVGBackend::new(path, SIZE).into_drawing_area();
    root.fill(&WHITE)?;
    let (upper, lower) = root.split_vertically(SIZE.1 / 2);
    let rate =
        |report: &Report, row: &Row| Some(row.tally.bytes as f64 / report.seconds / 1_048_576.0);
    panel(&upper, title, "throughput (MiB/s)", reports, rate)?;
    let late = |_: &Report, row: &Row| row.tally.latency().map(|times| times[1]);
    panel(&lower, "", "latency, 99th percentile (ms)", reports, late)?;
    root.present()?;
    Ok(())
}

type Area<'a> = DrawingArea<SVGBackend<'a>, plotters::coord::Shift>;

fn panel(
    area: &Area<'_>,
    title: &str,
    unit: &str,
    reports: &[Report],
    value: impl Fn(&Report, &Row) -> Option<f64>,
) -> Result<(), Box<dyn Error>> {
    let kinds: Vec<_> = reports
        .first()
        .map(|report| report.rows.iter().map(|row| row.kind.clone()).collect())
        .unwrap_or_default();
    let values = |report: &Report| -> Vec<Option<f64>> {
        let each = kinds.iter().map(|kind| value(report, &report.row(kind)));
        each.collect()
    };
    let known = reports.iter().flat_map(values).flatten();
    let top = known.fold(0.0, f64::max).max(1e-3) * 1.15;
    let mut chart = ChartBuilder::on(area)
        .caption(title, (FONT, 18))
        .margin(12)
        .x_label_area_size(44)
        .y_label_area_size(72)
        .build_cartesian_2d(-0.5..kinds.len() as f64 - 0.5, 0.0..top)?;
    let name = |at: &f64| {
        let whole = (at - at.round()).abs() < 1e-6;
        let kind = kinds.get(at.round().max(0.0) as usize);
        kind.filter(|_| whole).cloned().unwrap_or_default()
    };
    chart
        .configure_mesh()
        .disable_x_mesh()
        .light_line_style(WHITE)
        .x_labels(2 * kinds.len() + 1)
        .x_label_formatter(&name)
        .x_desc("kind of process")
        .y_desc(unit)
        .axis_desc_style((FONT, 15))
        .label_style((FONT, 14))
        .draw()?;
    let width = 0.8 / reports.len().max(1) as f64;
    for (place, report) in reports.iter().enumerate() {
        let grey = GREYS[place % GREYS.len()];
        let left = |kind: usize| kind as f64 - 0.4 + width * place as f64;
        let values = values(report);
        for style in [grey.filled(), BLACK.stroke_width(1)] {
            let bars = values.iter().enumerate().map(|(kind, value)| {
                let top = (left(kind) + width, value.unwrap_or(0.0));
                Rectangle::new([(left(kind), 0.0), top], style)
            });
            let series = chart.draw_series(bars)?;
            if style.filled {
                series.label(&report.sched).legend(move |(x, y)| {
                    EmptyElement::at((x, y))
                        + Rectangle::new([(0, -5), (16, 5)], grey.filled())
                        + Rectangle::new([(0, -5), (16, 5)], BLACK.stroke_width(1))
                });
            }
        }
        chart.draw_series(values.iter().enumerate().map(|(kind, value)| {
            let over = (left(kind) + width * 0.1, value.unwrap_or(0.0) + top * 0.06);
            Text::new(value.map_or("-".into(), figures), over, (FONT, 12))
        }))?;
    }
    chart
        .configure_series_labels()
        .border_style(BLACK)
        .background_style(WHITE)
        .label_font((FONT, 14))
        .draw()?;
    Ok(())
}

/// Writes a number with about three figures.
fn figures(value: f64) -> String {
    match value {
        value if value >= 100.0 => format!("{value:.0}"),
        value if value >= 10.0 => format!("{value:.1}"),
        value => format!("{value:.2}"),
    }
}
