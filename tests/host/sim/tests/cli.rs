// SPDX-License-Identifier: GPL-2.0

//! The program as a person meets it.

use std::path::Path;
use std::process::{
    Command,
    Output, //
};

fn sim(arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_rcfq-sim"));
    command.args(arguments).output().expect("it starts")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

#[test]
fn it_explains_itself() {
    for (argument, word) in [("--help", "--seed"), ("--list", "dd-readers")] {
        let output = sim(&[argument]);
        assert!(output.status.success());
        assert!(text(&output.stdout).contains(word));
    }
}

#[test]
fn bad_input_gets_one_clear_error() {
    for arguments in [
        &["--workload", "none"][..],
        &["--set", "slice_idle=x"],
        &["--seconds", "0"],
        &["--seconds", "NaN"],
        &["--plot", "/nowhere/at/all.svg", "--seconds", "0.1"],
    ] {
        let output = sim(arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        assert_eq!(text(&output.stderr).lines().count(), 1, "{arguments:?}");
    }
    assert_eq!(sim(&["--seconds", "soon"]).status.code(), Some(2));
    assert_eq!(
        sim(&["--compare", "--sched", "noop"]).status.code(),
        Some(2)
    );
}

#[test]
fn a_comparison_has_a_picture() {
    let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join("mix.svg");
    let path = file.to_str().expect("a plain path");
    let output = sim(&[
        "-w",
        "noidle-mix",
        "--compare",
        "--seconds",
        "1",
        "--plot",
        path,
    ]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    for sched in ["rcfq", "deadline", "noop"] {
        assert!(text(&output.stdout).contains(sched));
    }
    let picture = std::fs::read_to_string(file).expect("the picture is there");
    for word in ["MiB/s", "(ms)", "seeker", "deadline", "</svg>"] {
        assert!(picture.contains(word), "{word}");
    }
}

#[test]
fn history_repeats_itself() {
    let [one, other] = [(); 2].map(|()| sim(&["--history"]));
    assert!(one.status.success());
    assert_eq!(one.stdout, other.stdout);
    assert!(text(&one.stdout).contains("109.1"));
}
