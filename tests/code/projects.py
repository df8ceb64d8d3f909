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
PROJECTS = {"go": GO}


def made(language: str, root: Path) -> Path:
    """A project of a language in a folder."""
    return write(root, PROJECTS[language])
