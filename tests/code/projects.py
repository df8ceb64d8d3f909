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
TYPESCRIPT = {
    "package.json": """{
  "name": "shop",
  "imports": { "#kinds": "./src/kinds.ts" },
  "exports": { ".": "./dist/index.js", "./*": "./dist/*.js" }
}
""",
    "tsconfig.json": """{
  // where imports start
  "extends": "./config/tsconfig.base.json",
  "compilerOptions": { "strict": true, },
}
""",
    "config/tsconfig.base.json": """{ "compilerOptions": { "baseUrl": "..", "paths": { "@/*": ["src/*"] } } }
""",
    "packages/price/package.json": """{ "name": "@shop/price", "main": "./lib/price.js" }
""",
    "packages/price/src/price.ts": """import type { Closer } from "shop/kinds";

export class Price<T> {
  constructor(readonly of: T, private closer?: Closer) {}
  item(): T {
    return this.of;
  }
  close() {
    return this.closer?.close();
  }
}
export const price = <T,>(of: T) => new Price(of);
""",
    "src/kinds.ts": """export interface Closer {
  close(): Closer;
}
export type Maker<T> = (name: string) => T;
export type Both<T> = T & Closer;
export interface Named extends Closer {
  name: string;
  rename: (name: string) => Named;
}
""",
    "src/base.ts": """import { Named, Closer } from "#kinds";

export abstract class Base<T extends Named> implements Closer {
  protected held?: T;
  static made = 0;
  close(): Closer {
    return this;
  }
  get first(): T {
    return this.held!;
  }
  abstract open(): Base<T>;
}
""",
    "src/record.ts": """import { Base } from "@/base";
import type { Maker, Named } from "@/kinds";
import * as prices from "@shop/price";

export class Record extends Base<Record> implements Named {
  name = "";
  price = prices.price(this);
  items: Record[] = [];
  open(): Record {
    return this.items.map((each) => each.open())[0];
  }
  rename = (name: string) => {
    this.name = name;
    return this;
  };
  close() {
    this.price.item().rename("a");
    return super.close();
  }
}
export const make: Maker<Record> = () => new Record();
export default class Extra {
  run() {
    const { price } = new Record();
    if (price instanceof prices.Price) {
      price.close();
    }
    return make("x").first.open();
  }
}
""",
    "src/index.ts": """export * from "./record";
export { default as Extra, make as build } from "./record";
export * as kinds from "./kinds";
export type { Closer } from "./kinds";
""",
    "src/old.js": """const { build, Extra } = require("./index");
function Opened() {
  return build("x").close();
}
function Shop() {
  this.extra = new Extra();
}
Shop.prototype.open = function () {
  return this.extra.run();
};
Shop.main = function () {
  return new Shop().open();
};
module.exports = { Opened, Shop, run: () => new Extra().run() };
""",
    "src/view.tsx": """import Other, { make, Record as Kept, kinds } from "shop";
import old from "./old";
import { opened } from "shop/view";

namespace Views {
  export function shown(one: kinds.Closer) {
    return one.close();
  }
}
export const opened = async (all: Map<string, Kept>) => {
  const lazy = await import("./record");
  for (const [, each] of all) {
    each.open().rename("b");
    Views.shown(each);
  }
  old.run();
  old.Shop.main();
  new old.Shop().open();
  return <Shown one={new lazy.Record().close()} />;
};
function Shown(given: { one: kinds.Closer }) {
  return opened(new Map()).then(() => given.one.close());
}
""",
}
JAVA = {
    "src/org/shop/Base.java": """package org.shop;

public abstract class Base implements Named {
	protected Base next;

	public Base self() {
		return this;
	}

	public String name() {
		return next.self().name();
	}

	protected abstract void close();

	public static class Inner {
		public Base outer() {
			return null;
		}
	}
}
""",
    "src/org/shop/Named.java": """package org.shop;

public interface Named {
	String name();

	default Named other() {
		return this;
	}
}
""",
    "src/org/shop/Record.java": """package org.shop;

import java.util.List;
import org.shop.store.Box;

public class Record extends Base {
	List<Record> parts;
	Box<Record> box = new Box<>();

	public Record find(int at) {
		return parts.get(at);
	}

	public Base find(String name) {
		return find(1).self();
	}

	protected void close() {
		for (Record each : parts) {
			each.close();
		}
		box.open().find("x").close();
	}
}
""",
    "src/org/shop/store/Box.java": """package org.shop.store;

import static org.shop.store.Kind.*;

import org.shop.Named;

public class Box<T extends Named> {
	private T held;

	public T open() {
		return held;
	}

	public <R extends Named> Box<R> map(Turn<? super T, ? extends R> turn) {
		turn.turn(held).name();
		return null;
	}

	public Kind kind() {
		return first();
	}
}
""",
    "src/org/shop/store/Turn.java": "package org.shop.store;\n\npublic interface Turn<A, B> {\n\tB turn(A from);\n}\n",
    "src/org/shop/store/Kind.java": """package org.shop.store;

public enum Kind {
	SMALL, BIG {
		int size() {
			return super.size();
		}
	};

	int size() {
		return 1;
	}

	static Kind first() {
		return values()[0];
	}
}
""",
    "test/org/shop/RecordTest.java": """package org.shop;

import org.shop.store.*;

class RecordTest extends Record {
	void test(Box<Record> box) {
		box.map(r -> r.find(2)).open().close();
		box.kind().size();
		new Inner().outer().name();
		Named made = new Base() {
			protected void close() {
				self().other();
			}
		};
		made.other().name();
		find("x").self();
		Kind.first();
	}
}
""",
}
C = {
    "include/shop.h": """#ifndef SHOP_H
#define SHOP_H
#include "types.h"
#define shop_old shop_open
#define EACH(x) x

int shop_open(struct item *first);
void shop_close(struct item *first);
static int shop_size(struct item *first) {
	return shop_count(first->next);
}
#endif
""",
    "include/types.h": """struct item {
	struct item *next;
	int (*callback)(int);
};

int shop_count(struct item *first);
""",
    "src/shop.c": """#include "shop.h"
#include "parts/log.h"

static void helper(void) {
	log_line(1);
}

int shop_open(struct item *first) {
	helper();
	return shop_size(first);
}

void shop_close(struct item *first) {
	EACH(log_line(2));
	first->callback(3);
}
""",
    "src/count.c": """#include <types.h>

int shop_count(struct item *first) {
	return first ? 1 + shop_count(first->next) : 0;
}
""",
    "src/parts/log.h": """void log_line(int what);
void log_all(void);
""",
    "src/parts/log.c": """#include "log.h"

static void helper(void) {
	log_all();
}

void log_line(int what) {
	helper();
}

void log_all(void) {
	helper();
}
""",
    "other/log.c": """void log_line(int what) {
}
""",
    "tools/main.c": """#include "../include/shop.h"
#include "count.c"

void log_all(void);

int main(void) {
	struct item one;
	shop_old(&one);
	shop_close(&one);
	log_all();
	return shop_count(one.next);
}
""",
}
CPP = {
    "include/shop/base.hpp": """#pragma once
namespace shop {
class Part;
class Base {
 public:
  virtual void run() = 0;
  void shared(int a, int b = 1);
  Part* part();
  Part* held;
};
}
""",
    "include/shop/part.hpp": """#pragma once
#include "base.hpp"
#include <memory>
namespace shop {
class Part : public Base {
 public:
  Part(int a);
  Part* next();
  void run() override;
  int size() { return next()->size(); }
};
template <typename T> class Box : public Base {
 public:
  T* operator->() { return &inner; }
  void run() override { inner.run(); }
  T inner;
};
namespace deeper {
void dig(Part& p);
inline void dug(Part& p) { dig(p); }
}
Part* build(int a);
Part* build(int a, int b);
}
""",
    "src/base.cpp": """#include <shop/part.hpp>
namespace shop {
void Base::shared(int a, int b) {
  run();
  part()->next();
}
Part* Base::part() {
  return held;
}
}
""",
    "src/part.cpp": """#include "shop/part.hpp"
using namespace shop;

namespace {
void hidden() {
}
}

Part::Part(int a) {
  hidden();
  shared(a);
}

Part* Part::next() {
  return build(1);
}

void Part::run() {
  deeper::dig(*this);
}
""",
    "src/build.cpp": """#include "shop/part.hpp"
namespace shop {
Part* build(int a) {
  return new Part(a);
}
Part* build(int a, int b) {
  return build(a);
}
void deeper::dig(Part& p) {
  p.run();
}
}
""",
    "tools/use.cpp": """#include "../include/shop/part.hpp"
using shop::build;

void use(shop::Base& base) {
  base.run();
  base.part()->size();
  auto made = build(1, 2);
  made->next()->run();
  shop::Box<shop::Part> box;
  box->next();
  box.inner.size();
  box.shared(1);
  auto kept = std::make_unique<shop::Part>(1);
  kept->size();
  shop::deeper::dug(*made);
}

int main() {
  shop::Part part(1);
  use(part);
}
""",
}
PROJECTS = {"c": C, "cpp": CPP, "go": GO, "java": JAVA, "rust": RUST, "typescript": TYPESCRIPT}


def made(language: str, root: Path) -> Path:
    """A project of a language in a folder."""
    return write(root, PROJECTS[language])
