"""Small projects whose files lean on each other in every way that their language has, for edits at random."""

from __future__ import annotations

from pathlib import Path

from samples import write

GO = {
    "go.mod": "module example.org/shop\n\nreplace example.org/old => ./old\n",
    "old/go.mod": "module example.org/old\n",
    "old/old.go": """package old

type Closer interface {
	Close() error
}

func Keep(c Closer) Closer {
	return c
}
""",
    "records/record.go": """package records

import "example.org/old"

type Base struct {
	old.Closer
	name string
}

func (b *Base) Name() string {
	return b.name
}

type Record struct {
	*Base
	next *Record
}

func New() *Record {
	return &Record{Base: &Base{}}
}

var Default = New()
""",
    "records/close.go": """package records

import (
	. "example.org/old"
)

func (r *Record) Close() error {
	defer r.Name()
	Keep(r).Close()
	return r.next.Close()
}

type Named interface {
	Closer
	Name() string
}

type Names []Named

func (n Names) Each(do func(Named)) {
	for _, one := range n {
		one.Name()
		do(one)
	}
}
""",
    "records/record_test.go": """package records_test

import "example.org/shop/records"

func TestClose() {
	r := records.New()
	r.Close()
	r.Name()
	records.Default.Base.Name()
}
""",
    "store/store.go": """package store

import (
	kept "example.org/shop/records"
)

type Store[T kept.Named] struct {
	items []T
}

func (s *Store[E]) First() E {
	return s.items[0]
}

type Alias = kept.Record

func Open() (*Store[*kept.Record], error) {
	s := &Store[*kept.Record]{}
	s.First().Close()
	return s, nil
}
""",
    "main.go": """package main

import (
	"example.org/shop/records"
	"example.org/shop/store"
)

func main() {
	s, err := store.Open()
	if err != nil {
		return
	}
	s.First().Name()
	var a store.Alias
	a.Close()
	if named, ok := any(a).(records.Named); ok {
		named.Close()
	}
	records.Names{records.Default}.Each(func(n records.Named) { n.Name() })
}
""",
}
RUST = {
    "Cargo.toml": '[package]\nname = "shop"\n[dependencies]\nold = { path = "old" }\n',
    "old/Cargo.toml": '[package]\nname = "old"\n',
    "old/src/lib.rs": """pub trait Closer {
    fn close(&self) -> Result<(), String> {
        Ok(())
    }
}

pub fn keep<C: Closer>(c: C) -> C {
    c
}
""",
    "src/lib.rs": """pub mod records;
mod store;
pub use records::{Base, Record};
pub use store::open as begin;

pub fn main_of() {
    let kept = begin();
    kept.first().close();
    kept.first().name();
    records::each(|r| r.name());
}
""",
    "src/records/mod.rs": """mod close;
pub use self::close::*;
use old::Closer;

pub struct Base {
    name: String,
}

impl Base {
    pub fn name(&self) -> &str {
        &self.name
    }
}

pub struct Record {
    pub base: Base,
    pub next: Option<Box<Record>>,
}

impl std::ops::Deref for Record {
    type Target = Base;
    fn deref(&self) -> &Base {
        &self.base
    }
}

impl Record {
    pub fn new() -> Self {
        Record { base: todo!(), next: None }
    }
}

pub fn each(what: impl Fn(&Record)) {
    let r = Record::new();
    r.close();
    r.name();
    what(&r);
}
""",
    "src/records/close.rs": """use super::Record;
use old::{keep, Closer};

impl Closer for Record {
    fn close(&self) -> Result<(), String> {
        self.name();
        if let Some(next) = &self.next {
            next.close()?;
        }
        Ok(())
    }
}

pub trait Named: Closer {
    fn named(&self) {
        self.close();
    }
}

impl Named for Record {}

pub fn kept(r: Record) {
    keep(r).named();
}
""",
    "src/store.rs": """use crate::records::*;
use crate::Record as Kept;

pub struct Store<T> {
    items: Vec<T>,
}

pub type Records = Store<Kept>;

impl<T> Store<T> {
    pub fn first(&self) -> &T {
        self.items.first().unwrap()
    }
}

pub fn open() -> Records {
    let s: Store<Kept> = Store { items: vec![Kept::new()] };
    for item in s.items.iter() {
        item.named();
    }
    s.first().close();
    s
}

mod tests {
    use super::*;

    fn t() {
        kept(open().first());
        each(|r| r.close());
    }
}
""",
    "tests/all.rs": """use shop::records::Named;
use shop::Record;

fn t() {
    let r = Record::new();
    r.named();
    shop::begin().first().name();
}
""",
}
PROJECTS = {"go": GO, "rust": RUST}


def made(language: str, root: Path) -> Path:
    """A project of a language in a folder."""
    return write(root, PROJECTS[language])
