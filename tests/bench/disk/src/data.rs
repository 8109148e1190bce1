// SPDX-License-Identifier: GPL-2.0

//! What is read and written.

use crate::options::BLOCK;
use crate::queue::Request;
use std::collections::HashMap;
use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;

const BYTES: usize = BLOCK as usize;

/// The disk's contents.
///
/// The kernel leaves the pages of a read as they were, so zeroes are written too: what a page
/// held before could look like a partition table.
pub struct Data {
    /// As long as the longest command; holds zeroes between commands.
    buffer: Vec<u8>,
    blocks: Option<HashMap<u64, Box<[u8; BYTES]>>>,
}

impl Data {
    /// Makes an empty disk that is never asked for more than `longest` bytes at once.
    pub fn new(keep: bool, longest: usize) -> Self {
        Data {
            buffer: vec![0; longest],
            blocks: keep.then(HashMap::new),
        }
    }

    /// Gives a read its data, through `pages`.
    pub fn read(&mut self, request: &Request, bytes: usize, pages: &File) -> io::Result<()> {
        let place = request.place();
        let Some(blocks) = &self.blocks else {
            return pages.write_all_at(&self.buffer[..bytes], place);
        };
        for (block, within, part) in parts(request.sector * 512, bytes) {
            if let Some(block) = blocks.get(&block) {
                self.buffer[part.clone()].copy_from_slice(&block[within..within + part.len()]);
            }
        }
        pages.write_all_at(&self.buffer[..bytes], place)?;
        self.buffer[..bytes].fill(0);
        Ok(())
    }

    /// Takes a write's data from there.
    pub fn write(&mut self, request: &Request, bytes: usize, pages: &File) -> io::Result<()> {
        let Some(blocks) = &mut self.blocks else {
            return Ok(());
        };
        pages.read_exact_at(&mut self.buffer[..bytes], request.place())?;
        for (block, within, part) in parts(request.sector * 512, bytes) {
            let block = blocks.entry(block).or_insert_with(|| Box::new([0; BYTES]));
            block[within..within + part.len()].copy_from_slice(&self.buffer[part]);
        }
        self.buffer[..bytes].fill(0);
        Ok(())
    }
}

/// Splits a range of the disk into blocks: number, offset within, and which part of the range.
fn parts(at: u64, bytes: usize) -> impl Iterator<Item = (u64, usize, std::ops::Range<usize>)> {
    let mut done = 0;
    std::iter::from_fn(move || {
        let at = at + done as u64;
        let within = (at % BLOCK) as usize;
        let length = (BYTES - within).min(bytes - done);
        let part = done..done + length;
        done += length;
        (length > 0).then_some((at / BLOCK, within, part))
    })
}
